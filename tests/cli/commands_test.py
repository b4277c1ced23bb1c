"""Tests the output of every command: what, where, and with which exit code."""

import json
import os
import re
import subprocess
import unittest
import xml.dom.minidom

from cavs_command import COMMAND, SIZES, TRAIN, TestCase, cavs, kept, one_object, read_bytes

COMMANDS = ["train", "eval", "predict", "data", "inspect", "schedule", "learn-policy", "bench", "ops", "models",
            "completion"]


class Help(TestCase):
    def test_lists_every_command(self):
        text = cavs("--help").stdout
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} ")

    def test_of_every_command_ends_with_examples(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                result = cavs(command, "--help")
                self.assertRegex(result.stdout, rf"Examples:\n(.*\n)*  .*cavs {command}")
                self.assertEqual(result.stderr, "")
                self.assertLess(max(map(len, result.stdout.splitlines())), 121)

    def test_version(self):
        self.assertRegex(cavs("--version").stdout, r"^cavs \d+\.\d+\.\d+\n$")
        self.assertEqual(cavs("-V").stdout, cavs("--version").stdout)


class Predict(TestCase):
    EXPRESSIONS = "[MAX 2 9 [MIN 4 7 ] 0 ]\n[SUM_MOD 8 1 ]\n[MED 1 2 3 ]\n"

    def setUp(self):
        super().setUp()
        self.checkpoint = self.path("a.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", self.checkpoint)

    def predict(self, samples, *options):
        return cavs("predict", self.checkpoint, *options, stdin=samples).stdout

    def test_prints_a_json_line_per_sample(self):
        lines = [json.loads(line) for line in self.predict(self.EXPRESSIONS).splitlines()]
        self.assertEqual([len(line["classes"]) for line in lines], [7, 3, 4])
        for line in lines:
            self.assertEqual(len(line["probabilities"]), 10)
            self.assertAlmostEqual(sum(line["probabilities"]), 1, places=5)
            self.assertEqual(line["class"], line["classes"][0])
            self.assertEqual(line["class"], line["probabilities"].index(max(line["probabilities"])))
        self.assertEqual([line["label"] for line in lines], [9, 9, 2])

    def test_accepts_labelled_and_unlabelled_trees_and_json_lines(self):
        lines = self.predict("(3 (2 5) (4 7))\n((5) (7))\n"
                             '{"types":["leaf","leaf","inner"],"children":[[],[],[0,1]],'
                             '"pull":{"word":[3,7,-1]},"label":[-1,-1,2]}\n').splitlines()
        labelled, plain, graph = (json.loads(line) for line in lines)
        self.assertEqual(labelled["label"], 3)
        self.assertNotIn("label", plain)
        self.assertEqual(labelled["probabilities"], plain["probabilities"])
        self.assertEqual((graph["label"], graph["class"]), (2, graph["classes"][2]))

    def test_lists_every_root_if_there_are_several(self):
        line = json.loads(self.predict('{"types":["leaf","leaf"],"children":[[],[]],"pull":{"word":[1,2]}}'))
        self.assertEqual([root["vertex"] for root in line["roots"]], [0, 1])
        self.assertEqual([root["class"] for root in line["roots"]], line["classes"])

    def test_of_empty_input_prints_nothing(self):
        self.assertEqual(self.predict(""), "")

    def test_reports_that_standard_input_cannot_be_read(self):
        folder = os.open(".", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        result = subprocess.run([COMMAND, "predict", self.checkpoint], stdin=folder, capture_output=True, text=True,
                                timeout=60, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("stdin cannot be read: Is a directory", result.stderr)

    def test_stops_at_the_first_mistake_and_keeps_earlier_answers(self):
        result = cavs("predict", self.checkpoint, "--batch-size", "1", stdin="[MAX 1 2 ]\n[MAX\n", check=1)
        self.assertEqual(len(result.stdout.splitlines()), 1)
        self.assertIn("stdin:2", result.stderr)


class Inspect(TestCase):
    def test_prints_forward_and_backward_with_stages(self):
        text = cavs("inspect", "tree-lstm", "--hidden", "8").stdout
        self.assertRegex(text, r'(?m)^  +%\d+ = pull_index\("word"\) +index +\S+ +eager$')
        self.assertRegex(text, r'(?m)^ +push\("logits", %\d+\) +vertex +lazy$')
        self.assertRegex(text, r'(?m)^∂F:$')
        self.assertRegex(text, r'(?m)weight_gradient\(%\d+, %\d+\) .* lazy$')

    def test_of_a_checkpoint_shows_its_model(self):
        file = self.path("a.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", file)
        functions = one_object(cavs("inspect", file, "--json").stdout)["functions"]
        self.assertEqual([function["name"] for function in functions], ["tree_lstm"])
        tables = [node for node in functions[0]["nodes"] if node["op"] == "lookup"]
        self.assertEqual([node["shape"] for node in tables], [[4]])

    def test_shows_passes_and_code(self):
        text = cavs("inspect", "tree-fc", "--passes", "--instructions").stdout
        self.assertRegex(text, r"(?m)^  inner: differentiate: \d+ -> \d+ nodes$")
        self.assertRegex(text, r"(?m)^forward task:$")
        without = cavs("inspect", "tree-fc", "--passes", "--disable", "simplify").stdout
        self.assertIn("inner: simplify is off", without)

    def test_shows_the_memory_layout(self):
        text = cavs("inspect", "tree-gru", "--inference", "--layout").stdout
        self.assertRegex(text, r"(?m)^layout of vertex function 'inner': \d+ batches by policy '\w+', lower bound \d+(, split to \d+)?$")
        self.assertRegex(text, r"(?m)^copies in the order of the layout: ")
        layout = one_object(cavs("inspect", "tree-gru", "--inference", "--layout", "--json").stdout)["layout"]
        copied = sum(not operand["view"] for batch in layout["batches"] for operand in batch["operands"])
        self.assertEqual(copied, layout["copies"]["kernels"])
        order = [(variable.get("function"), variable["name"]) for variable in layout["order"]]
        self.assertEqual(len(order), len(set(order)))

    def test_shows_where_persistent_processors_keep_weights(self):
        cpu = cavs("inspect", "tree-fc", "--hidden", "32", "--placement", "--processors", "2").stdout
        self.assertIn("weights on cpu: 2 processors\n", cpu)
        self.assertIn("no engine of the CPU places weights", cpu)
        self.assertRegex(cpu, r"(?m)^  Wr +2 +1 x 16 +0: 0-0, 1: 1-1 +4.0 KiB L2$")
        gpu = cavs("inspect", "tree-fc", "--placement", "--target", "sm_90").stdout
        self.assertIn("weights on sm_90: 132 processors\n", gpu)
        self.assertRegex(gpu, r"(?m)^  Wl \| Wr, transposed +64 +2 x 1 .* 32.0 KiB registers$")
        self.assertNotIn("no engine", gpu)
        placement = one_object(cavs("inspect", "tree-fc", "--hidden", "32", "--placement", "--processors", "2", "--json").stdout)["placement"]
        self.assertEqual(placement["processors"], 2)
        right = next(weight for weight in placement["weights"] if weight["name"] == "Wr")
        self.assertEqual((right["owner"], right["memory"], right["unit_bytes"]), ([0, 1], ["L2", "L2"], 2048))
        self.assertIn("known: cpu, sm_80, sm_90",
                      cavs("inspect", "tree-fc", "--placement", "--target", "sm_1", check=2).stderr)

    def test_shows_the_largest_possible_states(self):
        text = cavs("inspect", "tree-lstm-binary", "--placement", "--target", "sm_90").stdout
        largest = re.search(r"(?m)^the largest --hidden at which all weights fit on chip, in multiples of 16: "
                            r"(\d+) in fp32, (\d+) in bf16$", text)
        fits = cavs("inspect", "tree-lstm-binary", "--placement", "--target", "sm_90", "--hidden", largest[1]).stdout
        self.assertNotIn("streamed", fits)
        larger = str(int(largest[1]) + 16)
        self.assertIn("streamed", cavs("inspect", "tree-lstm-binary", "--placement", "--target", "sm_90", "--hidden", larger).stdout)
        self.assertGreater(int(largest[2]), int(largest[1]))

    def test_dot_is_one_graph(self):
        text = cavs("inspect", "tree-lstm-binary", "--dot").stdout
        self.assertTrue(text.startswith("digraph model {") and text.endswith("}\n"))
        self.assertEqual(text.count("{"), text.count("}"))
        self.assertEqual(text.count("subgraph"), 4)

    def test_without_training_shows_no_backward_function(self):
        self.assertNotIn("∂F", cavs("inspect", "tree-lstm", "--inference").stdout)


class Schedule(TestCase):
    def test_compares_tasks_with_the_lower_bound(self):
        data = "binary-trees:leaves=8,samples=3"
        frontier, serial = (one_object(cavs("schedule", "tree-fc", "--data", data, "--policy", policy, "--json").stdout)
                            for policy in ("frontier", "serial"))
        self.assertEqual((frontier["tasks"], frontier["lower_bound"], frontier["vertices"]), (4, 4, 45))
        self.assertEqual([step["vertices"] for step in frontier["steps"]], [24, 12, 6, 3])
        self.assertEqual((serial["tasks"], serial["lower_bound"]), (45, 4))

    def test_prints_tasks_vertices_and_memory(self):
        text = cavs("schedule", "tree-fc", "--data", "binary-trees:leaves=2,samples=1", "--vertices", "--memory").stdout
        self.assertIn("step 0: leaf{1 2}\nstep 1: inner{0}\n", text)
        self.assertIn("2 tasks, lower bound 2; 3 vertices, 1.5 per task\n", text)
        self.assertRegex(text, r"(?m)^state 'h' +vertex +64 +0 +\d+$")

    def test_prints_and_checks_the_script_of_persistent_processors(self):
        data = ["--data", "binary-trees:leaves=2,samples=1", "--hidden", "32"]
        text = cavs("schedule", "tree-fc", *data, "--script", "--check-script").stdout
        self.assertRegex(text, r"(?m)^0 +forward +leaf +eager +elementwise +0-1 +processor 0$")
        self.assertRegex(text, r"(?m)^6 +backward +inner +eager +sum_rows +0-0 +by output +1: 5$")
        self.assertRegex(text, r"(?m)^31 entries, \d+ waits; 2 processors, load \d+\.\d %, \d+\.\d %$")
        self.assertRegex(text, r"(?m)^24 +update +scale +by output +all 1[0-9](, \d: \d+)*$")
        self.assertRegex(text, r"(?m)^\d+ +update +update output_b +processor [01]$")
        self.assertIn("the script is correct", text)
        self.assertNotIn("the script is correct", cavs("schedule", "tree-fc", *data, "--script").stdout)

    def test_compares_every_policy_and_encoding(self):
        data = "binary-trees:leaves=8,samples=3"
        report = one_object(cavs("schedule", "tree-fc", "--data", data, "--compare", "--json").stdout)
        rows = {(row["policy"], row.get("encoding")): row for row in report["policies"]}
        self.assertEqual(sorted(name for name, encoding in rows if encoding is None),
                         ["agenda", "depth", "frontier", "ratio", "serial"])
        self.assertEqual([encoding for name, encoding in rows if name == "fsm"], ["base", "max", "sort", "phase"])
        self.assertEqual((report["lower_bound"], report["vertices"]), (4, 45))
        for (name, _), row in rows.items():
            self.assertEqual(row["tasks"], 45 if name == "serial" else 4)
            self.assertGreater(row["ns_per_vertex"], 0)
        text = cavs("schedule", "tree-fc", "--data", data, "--compare").stdout
        self.assertRegex(text, r"(?m)^fsm, phase +4 +0\.0 % ")
        self.assertIn("lower bound 4; 3 samples, 45 vertices\n", text)

    def test_draws_a_minibatch_with_a_colour_per_task(self):
        svg = self.path("tasks.svg")
        dot = cavs("schedule", "tree-fc", "--data", "binary-trees:leaves=4,samples=2", "--dot", "--svg", svg).stdout
        self.assertEqual(dot.count("{"), dot.count("}"))
        self.assertEqual((dot.count("subgraph"), dot.count(" -> "), dot.count("fillcolor")), (2, 12, 14))
        self.assertEqual(len(set(re.findall(r'fillcolor="(#[0-9a-f]{6})"', dot))), 3)
        drawing = xml.dom.minidom.parseString(read_bytes(svg))
        circles = drawing.getElementsByTagName("circle")
        self.assertEqual((len(circles), len({circle.getAttribute("fill") for circle in circles})), (14, 3))
        large = cavs("schedule", "tree-fc", "--dot", check=1)
        self.assertIn("a drawing has at most 1000 vertices", large.stderr)


class LearnPolicy(TestCase):
    def test_a_learned_policy_is_used_by_every_command(self):
        policy, checkpoint = self.path("p.json"), self.path("a.cavs")
        report = one_object(cavs("learn-policy", "tree-fc", "-o" + policy, "--limit", "20", "--json").stdout)
        self.assertEqual((report["tasks"], report["tasks"]), (report["lower_bound"], report["ratio_tasks"]))
        use = ("--policy", f"fsm:{policy}")
        cavs("train", "tree-fc", *SIZES, "--epochs", "1", "--limit", "20", "--save", checkpoint, *use)
        self.assertEqual(cavs("predict", checkpoint, *use, stdin="(3 (2 a) (4 b))\n").stdout,
                         cavs("predict", checkpoint, stdin="(3 (2 a) (4 b))\n").stdout)
        cavs("eval", checkpoint, "--limit", "20", *use)
        cavs("bench", "tree-fc", *SIZES, "--limit", "20", "--epochs", "1", *use)
        self.assertEqual(one_object(cavs("schedule", "tree-fc", "--json", *use).stdout)["fallbacks"], 0)

    def test_fsm_learns_at_start_up_and_is_kept_in_the_checkpoint(self):
        checkpoint = self.path("a.cavs")
        train = ("train", "tree-fc", *SIZES, "--limit", "20", "--policy", "fsm", "--save", checkpoint)
        self.assertIn("learned a policy", cavs(*train, "--epochs", "1").stderr)
        self.assertEqual(kept(checkpoint, "policy")["format"], "cavs-policy")
        self.assertNotIn("learned a policy", cavs(*train, "--epochs", "2", "--resume", checkpoint).stderr)
        self.assertNotIn("learned a policy", cavs("eval", checkpoint, "--policy", "fsm", "--limit", "20").stderr)
        cavs("predict", checkpoint, "--policy", "fsm", stdin="(3 (2 a) (4 b))\n")

    def test_resuming_needs_no_file_and_gives_the_same_bytes(self):
        policy, whole, half = self.path("p.json"), self.path("whole.cavs"), self.path("half.cavs")
        cavs("learn-policy", "tree-lstm-2type", "-o", policy)
        train = ("train", "tree-lstm-2type", *SIZES, "--limit", "20")
        cavs(*train, "--policy", f"fsm:{policy}", "--epochs", "2", "--save", whole)
        cavs(*train, "--policy", f"fsm:{policy}", "--epochs", "1", "--save", half)
        os.remove(policy)
        cavs(*train, "--policy", f"fsm:{policy}", "--epochs", "2", "--save", half, "--resume", half)
        self.assertEqual(read_bytes(half), read_bytes(whole))

    def test_frontier_and_depth_are_one_policy_to_resume(self):
        checkpoint = self.path("a.cavs")
        train = ("train", "tree-fc", *SIZES, "--limit", "20", "--save", checkpoint)
        cavs(*train, "--epochs", "1", "--policy", "depth")
        cavs(*train, "--epochs", "2", "--policy", "frontier", "--resume", checkpoint)
        result = cavs(*train, "--epochs", "3", "--policy", "agenda", "--resume", checkpoint, check=1)
        self.assertIn("--policy: frontier in the checkpoint, agenda here", result.stderr)

    def test_a_policy_for_another_model_is_refused_by_name(self):
        policy = self.path("p.json")
        cavs("learn-policy", "tree-fc", "-o", policy, "--limit", "20")
        for model in ("tree-lstm", "tree-lstm-binary"):
            result = cavs("schedule", model, "--policy", f"fsm:{policy}", check=1)
            self.assertIn("was learned for model 'tree-fc'", result.stderr)


class Lists(TestCase):
    def test_ops(self):
        listed = cavs("ops").stdout
        operators = one_object(cavs("ops", "--json").stdout)["operators"]
        self.assertEqual(len(listed.splitlines()), len(operators))
        for operator in operators:
            self.assertTrue(operator["doc"])
            self.assertRegex(listed, rf"(?m)^{operator['name']}\(")
        self.assertIn("matmul(x, w)", cavs("ops", "matmul").stdout)

    def test_models(self):
        models = one_object(cavs("models", "--json").stdout)["models"]
        self.assertEqual([model["name"] for model in models][:3], ["tree-lstm", "tree-lstm-binary", "tree-fc"])
        self.assertEqual(len(cavs("models").stdout.splitlines()), len(models))


if __name__ == "__main__":
    unittest.main()
