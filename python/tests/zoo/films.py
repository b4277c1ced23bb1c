"""Films: a convolutional net reads each frame, and an LSTM reads its output."""

import cavs

from .parts import ZEROS, predict_class

SIDE = 16  # pixels of a frame


def lrcn(config):
    """Long-term recurrent convolutional net (Donahue et al., CVPR 2015, section 4)."""
    m = cavs.Model(config.seed)
    first, second = 8, 16
    seen = (SIDE // 4) ** 2 * second
    K1, k1 = m.parameter("K1", (3, 3, 1, first)), m.parameter("k1", first, ZEROS)
    K2, k2 = m.parameter("K2", (3, 3, first, second)), m.parameter("k2", second, ZEROS)
    projection = cavs.Linear(m, "projection", seen, config.embedding)
    cell = cavs.LstmCell(m, "", config.embedding, config.hidden)

    def look(image, K, k):
        return cavs.max_pool2d(cavs.relu(cavs.conv2d(image, K, k, padding=1)), (2, 2), stride=2)

    @m.vertex_function
    def frame(v):
        pixels = cavs.reshape(v.pull("pixels", SIDE * SIDE), (SIDE, SIDE, 1))
        forms = cavs.reshape(look(look(pixels, K1, k1), K2, k2), seen)
        predict_class(m, v, config, cell.step(v, cavs.relu(projection(forms))))

    return m
