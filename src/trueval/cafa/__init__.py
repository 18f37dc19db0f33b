"""CAFA."""
from trueval.cafa._accretion import information_accretion, read_accretion, write_accretion
from trueval.cafa._benchmark import Benchmark, evaluate
from trueval.cafa._predictions import Predictions
from trueval.cafa._read import read_predictions
from trueval.cafa._result import AspectEvaluation, Evaluation, compare
from trueval.cafa._truth import read_truth, write_truth
