"""Stands in for Spark, Ray and Dask, which are not installed here: it splits rows into partitions and calls the programs of the
guide as these do. Usage: cluster_stand_in.py GUIDE CORPUS; prints what each program writes, as JSON."""

import json
import re
import shlex
import subprocess
import sys
import types

guide, corpus = sys.argv[1:3]
written = {}


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().removesuffix("\n").split("\n")


class Frame:
    """Columns by name, as much of a DataFrame as the programs use."""

    def __init__(self, **columns):
        self.columns = columns

    def __getattr__(self, name):
        return self.columns[name]

    def __getitem__(self, name):
        return self.columns[name]

    def __setitem__(self, name, column):
        self.columns[name] = column

    def assign(self, **columns):
        return Frame(**self.columns, **columns)

    def part(self, begin, end):
        return Frame(**{name: column[begin:end] for name, column in self.columns.items()})

    def __len__(self):
        return len(next(iter(self.columns.values())))


def parts_of(rows, count):
    size = -(-len(rows) // count)
    return [(at, min(at + size, len(rows))) for at in range(0, len(rows), size)]


class Rdd:
    def __init__(self, partitions):
        self.partitions = partitions

    def map(self, function):
        return Rdd([[function(row) for row in rows] for rows in self.partitions])

    def repartition(self, _count):
        rows = sum(self.partitions, [])
        return Rdd([rows[a:b] for a, b in parts_of(rows, 3)])

    def pipe(self, command):
        def run(rows):
            text = "".join(f"{row}\n" for row in rows)
            done = subprocess.run(shlex.split(command), input=text, stdout=subprocess.PIPE, text=True)
            return done.stdout.splitlines()

        return Rdd([run(rows) for rows in self.partitions])

    def saveAsTextFile(self, _path):
        written["pipe"] = sum(self.partitions, [])


class Reviews:
    """mapInPandas gets the batches of a partition one after the other, and takes what each yields."""

    def mapInPandas(self, function, _schema):
        texts = lines_of(corpus)
        frame = Frame(id=list(range(len(texts))), text=texts)
        rows = []
        for begin, end in parts_of(texts, 2):
            batches = (frame.part(a, min(a + 2, end)) for a in range(begin, end, 2))
            for result in function(batches):
                rows += zip(result.id, result.text, result.label)
        written["mapInPandas"] = rows


class Partitions:
    def __init__(self, name):
        self.name = name

    def map_batches(self, function, **_options):
        texts = lines_of(corpus)
        results = [function(Frame(text=texts[a:b])) for a, b in parts_of(texts, 2)]
        written[self.name] = [line for result in results for line in result["translation"]]
        return self

    def map_partitions(self, function, meta):
        assert set(meta) == {"text", "translation"}
        return self.map_batches(function)

    def write_parquet(self, _path):
        pass

    to_parquet = write_parquet


def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    sys.modules[name] = made
    return made


read_text = lambda _path: types.SimpleNamespace(rdd=Rdd([[types.SimpleNamespace(value=line) for line in lines_of(corpus)]]))
names = {"spark": types.SimpleNamespace(read=types.SimpleNamespace(text=read_text)), "reviews": Reviews()}
module("ray", data=types.SimpleNamespace(read_text=lambda _path: Partitions("ray")))
dataframe = module("dask.dataframe", read_parquet=lambda _path: Partitions("dask"))
module("dask", dataframe=dataframe)
with open(guide, encoding="utf-8") as file:
    for block in re.findall(r"```python\n(.*?)```", file.read(), re.S):
        exec(block, names)
print(json.dumps(written))
