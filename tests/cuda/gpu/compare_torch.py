"""Times cuDNN's LSTM through PyTorch at the sizes of cuda_check's chains: forward, backward and an SGD step.

Prints JSON. The network is the same: an embedding, one LSTM layer, a projection to the vocabulary, cross-entropy.
"""

import json
import statistics

import torch


def step_us(hidden: int, batch: int, steps: int = 64, vocabulary: int = 1000) -> float:
    """Returns the median time of a training step, by the GPU's clock."""
    torch.manual_seed(1)
    device = torch.device("cuda")
    embedding = torch.nn.Embedding(vocabulary, hidden).to(device)
    lstm = torch.nn.LSTM(hidden, hidden).to(device)
    project = torch.nn.Linear(hidden, vocabulary).to(device)
    parameters = [*embedding.parameters(), *lstm.parameters(), *project.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.01)
    words = torch.randint(vocabulary, (steps, batch), device=device)
    labels = torch.randint(vocabulary, (steps * batch,), device=device)
    times = []
    for _ in range(20):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        optimizer.zero_grad(set_to_none=True)
        states, _ = lstm(embedding(words))
        torch.nn.functional.cross_entropy(project(states.flatten(0, 1)), labels).backward()
        optimizer.step()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return statistics.median(times[5:])


def main() -> None:
    """Prints the times for all sizes."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    rows = [
        {"kernel": f"LSTM {hidden} fp32", "batch": batch, "step_us": step_us(hidden, batch)}
        for hidden in (256, 512, 1024)
        for batch in (1, 16, 64)
    ]
    print(json.dumps({"torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "steps": rows}, indent=1))


if __name__ == "__main__":
    main()
