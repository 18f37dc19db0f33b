"""Hand-written files and generators of random ones."""

import networkx as nx
import numpy as np

#       F:1                 C:1
#      /   \               /   \(part_of)
#    F:2   F:3           C:2   C:3
#      \   / \             \    |(part_of)
#       F:4   F:5 ·····▸ C:3   C:4         F:5 part_of C:3 crosses namespaces
SMALL_OBO = """\
format-version: 1.2
data-version: test
default-namespace: function
! a comment

[Term]
id: F:1
name: function
def: "What a thing does, with \\"quotes\\": and colons." [REF:1]

[Term]
id: F:2
name: binding
alt_id: F:20
alt_id: F:21
is_a: F:1 ! function

[Term]
id: F:3
name: transport \\! of things
is_a: F:1 {is_inferred="true"} ! function

[Term]
id: F:4
name: carrier
is_a: F:2
is_a: F:3
relationship: regulates F:2 ! binding

[Term]
id: F:5
name: channel
is_a: F:3
relationship: part_of C:3

[Term]
id: C:1
name: cell
namespace: component

[Term]
id: C:2
name: wall
namespace: component
is_a: C:1

[Term]
id: C:3
name: membrane
namespace: component
relationship: part_of C:1

[Term]
id: C:4
name: pore
namespace: component
relationship: part_of C:3
is_a: C:2

[Term]
id: F:9
name: obsolete thing
is_obsolete: true
replaced_by: F:4
consider: F:5

[Term]
id: F:8
name: obsolete thing without heir
is_obsolete: true

[Typedef]
id: part_of
name: part of
is_transitive: true
"""

ANCESTORS = {
    "F:1": [],
    "F:2": ["F:1"],
    "F:3": ["F:1"],
    "F:4": ["F:1", "F:2", "F:3"],
    "F:5": ["F:1", "F:3"],
    "C:1": [],
    "C:2": ["C:1"],
    "C:3": ["C:1"],
    "C:4": ["C:1", "C:2", "C:3"],
    "F:9": [],
    "F:8": [],
}


def gaf_line(
    who="P1", term="GO:0000001", code="IDA", qualifier="", date="20140101", database="UniProtKB"
):
    cells = [
        database,
        who,
        "SYM",
        qualifier,
        term,
        "PMID:1",
        code,
        "",
        "F",
        "a name",
        "",
        "protein",
    ]
    return "\t".join([*cells, "taxon:9606", date, "UniProt", "", ""])


def random_obo(seed, n=40, relations=("is_a", "part_of", "regulates")):
    """Text of a random acyclic OBO file, and its edges as a networkx graph."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    graph = nx.MultiDiGraph()
    lines = ["format-version: 1.2", "ontology: test", ""]
    namespace = ["one", "two"]
    for i in range(n):
        place = int(np.flatnonzero(order == i)[0])
        space = namespace[i % 2]
        graph.add_node(f"T:{i:04d}", namespace=space)
        lines += ["[Term]", f"id: T:{i:04d}", f"name: term {i}", f"namespace: {space}"]
        for j in order[:place][rng.random(place) < 2.5 / n]:
            relation = str(rng.choice(relations))
            graph.add_edge(f"T:{i:04d}", f"T:{int(j):04d}", key=relation)
            if relation == "is_a":
                lines.append(f"is_a: T:{int(j):04d} ! term {int(j)}")
            else:
                lines.append(f"relationship: {relation} T:{int(j):04d} ! term {int(j)}")
        lines.append("")
    return "\n".join(lines), graph


def expected_closure(graph, relations, within_namespace):
    """Ancestors by networkx, of the edges chosen one by one."""
    chosen = nx.DiGraph()
    chosen.add_nodes_from(graph.nodes)
    for child, parent, relation in graph.edges(keys=True):
        same = graph.nodes[child]["namespace"] == graph.nodes[parent]["namespace"]
        if relation in relations and (same or not within_namespace):
            chosen.add_edge(child, parent)
    return chosen
