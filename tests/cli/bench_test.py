"""Tests the measurements and the output of `cavs bench`."""

import unittest
import xml.dom.minidom

from cavs_command import SIZES, TestCase, cavs, one_object, read_bytes


class Bench(TestCase):
    FIELDS = ("samples_per_second", "vertices_per_second", "step_ms", "pack_ms", "schedule_ms", "plan_ms", "script_ms",
              "memory_ms", "compute_ms", "update_ms", "tasks", "instructions", "bytes_moved", "flops", "weight_bytes",
              "weight_bytes_once", "threads", "loss", "launches", "graph_launches", "graph_nodes", "launches_per_task")
    ARGUMENTS = ["bench", "tree-lstm-binary", "--data", "binary-trees:leaves=8,samples=20", *SIZES, "--epochs", "1"]

    def test_json_has_every_figure(self):
        for mode in ("train", "infer"):
            with self.subTest(mode=mode):
                report = one_object(cavs(*self.ARGUMENTS, "--mode", mode, "--threads", "1", "--json").stdout)
                for field in self.FIELDS:
                    self.assertGreaterEqual(report[field], 0, field)
                self.assertEqual((report["samples"], report["steps"], report["vertices"]), (20, 2, 300))
                self.assertEqual(report["update_ms"] > 0, mode == "train")
                for field in ("tasks", "instructions", "flops", "compute_ms", "loss"):
                    self.assertGreater(report[field], 0, field)

    def test_bytes_of_weights(self):
        report = one_object(cavs(*self.ARGUMENTS, "--mode", "infer", "--json").stdout)
        leaf, inner, classes = 4 * 24, 2 * 8 * 24 + 2 * 8 * 8, 8 * 5
        self.assertEqual(report["weight_bytes_once"], 4 * (leaf + inner + classes))
        self.assertEqual(report["weight_bytes"], 4 * (leaf + 3 * inner + classes), "three levels of inner vertices")
        training = one_object(cavs(*self.ARGUMENTS, "--mode", "train", "--threads", "1", "--json").stdout)
        self.assertEqual(training["weight_bytes_once"], 2 * report["weight_bytes_once"], "F and its gradient both load")

    def test_table(self):
        self.assertRegex(cavs(*self.ARGUMENTS).stdout, r"(?m)^samples/s +\d+$")

    def test_bf16_is_named(self):
        report = one_object(cavs(*self.ARGUMENTS, "--precision", "bf16", "--json",
                                 variables={"CAVS_BF16": "emulate"}).stdout)
        self.assertEqual(report["precision"], "bf16")

    def test_without_bf16_instructions_reports_fp32(self):
        if {"amx_bf16", "avx512_bf16"} & set(read_bytes("/proc/cpuinfo").decode().split()):
            self.skipTest("this processor has instructions for bf16")
        measured = [*self.ARGUMENTS, "--threads", "1", "--json"]
        result = cavs(*measured, "--precision", "bf16", variables={"CAVS_BF16": ""})
        self.assertEqual(result.stderr.count("--precision bf16 needs a processor with AMX or AVX-512 for bf16"), 1,
                         result.stderr)
        report = one_object(result.stdout)
        self.assertEqual(report["precision"], "fp32")
        self.assertEqual(report["loss"], one_object(cavs(*measured).stdout)["loss"])

    def test_an_unknown_value_of_cavs_bf16_is_an_error(self):
        result = cavs(*self.ARGUMENTS, "--precision", "bf16", check=None, variables={"CAVS_BF16": "yes"})
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("CAVS_BF16 is 'yes'; set it to 'emulate'", result.stderr)

    def test_clock(self):
        for threads, ablation in (("1", "processor"), ("2", "wall")):
            measured = [*self.ARGUMENTS, "--threads", threads, "--json"]
            self.assertEqual(one_object(cavs(*measured).stdout)["clock"], "wall")
            self.assertEqual(one_object(cavs(*measured, "--roofline").stdout)["clock"], ablation)


class WeightTraffic(TestCase):
    ARGUMENTS = ["bench", "tree-lstm-binary", "--data", "binary-trees:leaves=8,samples=128", "--hidden", "16", "--threads", "1"]

    def test_counts_the_loaded_weights(self):
        rows = one_object(cavs(*self.ARGUMENTS, "--weight-traffic", "--json").stdout)["results"]
        self.assertEqual([row["batch_size"] for row in rows], [1, 2, 4, 8, 16, 32, 64, 128])
        for row in rows:
            self.assertLess(row["persistent"]["loaded_weight_bytes"], row["batched"]["loaded_weight_bytes"])
        text = cavs(*self.ARGUMENTS, "--weight-traffic").stdout
        self.assertIn("352.62", text)
        self.assertIn("as published", text)
        self.assertNotIn("as published", cavs(*self.ARGUMENTS, "--weight-traffic", "--limit", "16").stdout)


class Ablation(TestCase):
    ARGUMENTS = ["bench", "tree-lstm-binary", "--data", "binary-trees:leaves=8,samples=20", "--ablate", "--sizes", "4,8",
                 "--epochs", "1", "--threads", "1"]

    def test_json_has_every_variant_of_every_size(self):
        drawing = self.path("a.svg")
        report = one_object(cavs(*self.ARGUMENTS, "--svg", drawing, "--json").stdout)
        self.assertEqual([size["hidden"] for size in report["results"]], [4, 8])
        self.assertEqual([size["embedding"] for size in report["results"]], [4, 8])
        names = [variant["name"] for variant in report["results"][0]["variants"]]
        self.assertEqual((names[0], names[-1], "fuse" in names), ("baseline", "all", True))
        for size in report["results"]:
            variants = size["variants"]
            self.assertEqual([variant["name"] for variant in variants], names)
            self.assertEqual(variants[0]["ratio"], 1)
            self.assertEqual(variants[-1]["disabled"], [])
            self.assertEqual([v["name"] for v in variants if v["policy"] == "serial"], ["no batching"])
            for variant in variants:
                self.assertGreater(variant["samples_per_second"], 0)
        bars = [bar for bar in xml.dom.minidom.parse(drawing).getElementsByTagName("rect")]
        self.assertEqual(len(bars), 1 + len(names) + 2 * len(names), "background, legend, bar per size and variant")

    def test_table_has_a_line_per_variant(self):
        table = cavs(*self.ARGUMENTS, "--mode", "infer", "--disable", "fuse").stdout
        self.assertRegex(table, r"(?m)^baseline( +[\d.]+ +1\.00){2}$")
        self.assertRegex(table, r"(?m)^all( +[\d.]+ +\d+\.\d\d){2}$")
        self.assertNotIn("\nfuse ", table, "a pass of --disable is not a variant")


class Roofline(TestCase):
    ARGUMENTS = ["bench", "tree-fc", "--data", "binary-trees:leaves=4,samples=10", "--hidden", "8", "--batch-size", "4",
                 "--epochs", "2", "--roofline"]

    def test_json_has_every_figure(self):
        for threads in ("1", "2"):
            with self.subTest(threads=threads):
                report = one_object(cavs(*self.ARGUMENTS, "--threads", threads, "--json").stdout)
                for field in ("product_ms", "step_ms", "product_fraction", "gflops", "peak_gflops", "fraction_of_peak",
                              "product_gflops", "median_step_ms"):
                    self.assertGreater(report[field], 0, field)
                # Three inner vertices multiply twice by 8 x 8, the root by 8 x 5, once forward and twice backward.
                self.assertAlmostEqual(report["product_flops"], 10 * 3 * 2 * (3 * 2 * 8 * 8 + 8 * 5) / 3, places=3)
                self.assertEqual(report["rounds"], 2)

    def test_table(self):
        table = cavs(*self.ARGUMENTS, "--threads", "1").stdout
        self.assertRegex(table, r"(?m)^product fraction +\d+\.\d %")
        self.assertRegex(table, r"(?m)^weight gradients: x\^T dy +3\.0 ")


class Breakdown(TestCase):
    SMALL = ["--hidden", "4", "--embedding", "4", "--epochs", "1", "--threads", "1", "--breakdown"]
    PARTS = ("construction", "memory", "compute", "update", "other")

    def check(self, results, axis, values, modes=("train", "infer")):
        self.assertEqual([(row[axis], row["mode"]) for row in results], [(v, m) for v in values for m in modes])
        for row in results:
            self.assertAlmostEqual(sum(row[part + "_ms"] for part in self.PARTS), row["total_ms"], places=6)
            self.assertAlmostEqual(sum(row[part + "_percent"] for part in self.PARTS), 100, places=6)
            self.assertEqual(row["update_ms"] > 0, row["mode"] == "train")

    def test_of_binary_trees_varies_leaves(self):
        drawing = self.path("a.svg")
        data = "binary-trees:samples=2,leaves=3"
        report = one_object(cavs("bench", "tree-fc", "--data", data, *self.SMALL, "--svg", drawing, "--json").stdout)
        self.check(report["results"], "leaves", [32, 64, 128, 256, 512, 1024])
        self.assertNotIn("serial_ratio", report["results"][0])
        self.assertIn("1024", [text.firstChild.data
                               for text in xml.dom.minidom.parse(drawing).getElementsByTagName("text")])

    def test_of_other_data_varies_batch_sizes(self):
        data = "listops:train=5,test=1,length=20"
        report = one_object(cavs("bench", "tree-lstm", "--data", data, *self.SMALL, "--json").stdout)
        self.check(report["results"], "batch_size", [1, 2, 4])
        for row in report["results"]:
            self.assertGreater(row["serial_ratio"], 0)

    def test_table_in_one_mode(self):
        data = "listops:train=5,test=1,length=20"
        table = cavs("bench", "tree-lstm", "--data", data, *self.SMALL, "--mode", "infer").stdout
        self.assertRegex(table, r"(?m)^mode +batch size +construction .* samples/s +vs serial$")
        self.assertRegex(table, r"(?m)^infer +4 ( +\d+\.\d\d +\d+\.\d %){5} ")
        self.assertNotRegex(table, r"(?m)^train")


class Preset(TestCase):
    SMALL = ["--preset", "ed-batch", "--hidden", "8", "--limit", "6", "--epochs", "1"]
    MODELS = ("tree-lstm-nary", "tree-gru", "tree-lstm-2type", "mv-rnn", "lattice-lstm", "lattice-gru", "bilstm-tagger",
              "lstm-nmt")

    def test_every_model_varies_batch_sizes(self):
        for model in self.MODELS:
            with self.subTest(model=model):
                report = one_object(cavs("bench", model, *self.SMALL, "--json").stdout)
                self.assertEqual([row["batch_size"] for row in report["results"]], [1, 2, 4])
                best = max(report["results"], key=lambda row: row["samples_per_second"])
                self.assertEqual(report["batch_size"], best["batch_size"])
                self.assertEqual(report["samples_per_second"], best["samples_per_second"])
                self.assertEqual((report["mode"], report["threads"], report["policy"]), ("infer", 1, "fsm"))
                self.assertEqual((report["embedding"], report["preset"], report["share_ids"], report["samples"]),
                                 (8, "ed-batch", False, 6))

    def test_ids_and_labels_are_folded_into_the_tables(self):
        for model, data in (("lattice-lstm", "lattices:vocabulary=5000"), ("lstm-nmt", "translations:vocabulary=5000")):
            report = one_object(cavs("bench", model, *self.SMALL, "--data", data, "--json").stdout)
            self.assertGreater(report["samples_per_second"], 0)

    def test_table_names_the_best_batch_size(self):
        table = cavs("bench", "tree-gru", *self.SMALL).stdout
        self.assertRegex(table, r"(?m)^best: \d+\.\d samples/s at batch size \d+ \(processor time\)$")
        self.assertRegex(table, r"(?m)^ +4 +\d+\.\d +\d+\.\d +\d\.\d\d$")


class Policies(TestCase):
    def test_speed_and_tasks_are_relative_to_the_first(self):
        for mode in ("train", "infer"):
            report = one_object(cavs("bench", "tree-lstm-2type", "--preset", "ed-batch", "--hidden", "8", "--limit", "16",
                                     "--batch-size", "8", "--epochs", "1", "--mode", mode, "--policies",
                                     "frontier,agenda,fsm", "--json").stdout)
            rows = report["results"]
            self.assertEqual([row["policy"] for row in rows], ["frontier", "agenda", "fsm"])
            self.assertEqual(rows[0]["ratio"], 1)
            self.assertLess(rows[2]["tasks"], rows[1]["tasks"])
            self.assertLess(rows[1]["tasks"], rows[0]["tasks"])


if __name__ == "__main__":
    unittest.main()
