"""Seeded simulated data: the same seed, the same data, nothing downloaded."""

from trueval.data._sequence_features import sequence_features
from trueval.data.simulate._families import protein_families
from trueval.data.simulate._labels import label_matrix, synthetic, synthetic_folds
from trueval.data.simulate._large import heavy_tailed, heavy_tailed_blocks
from trueval.data.simulate._proteome import classifier_scores, proteome, random_ontology
from trueval.data.simulate._scores import (
    simulation_one,
    simulation_tree,
    simulation_two,
    true_rates,
)

__all__ = [
    "classifier_scores",
    "heavy_tailed",
    "heavy_tailed_blocks",
    "label_matrix",
    "protein_families",
    "proteome",
    "random_ontology",
    "sequence_features",
    "simulation_one",
    "simulation_tree",
    "simulation_two",
    "synthetic",
    "synthetic_folds",
    "true_rates",
]
