"""Public data sets by name, from a folder of yours, the cache, or the network.

Each file is looked for in the folder ``TRUEVAL_DATA`` names, then in the cache
folder (``TRUEVAL_CACHE``, or the usual one of the system), and fetched to the cache
where an address is known. A file is used only when its sha256 is the one the
catalogue has, the one the user gives, or the one accepted at first use.
"""

from trueval.data.catalogue._entries import CATALOGUE, DatasetInfo, FileInfo
from trueval.data.catalogue._files import Status, cache_folder, status
from trueval.data.catalogue._load import Dataset, dataset_info, list_datasets, load_dataset
from trueval.data.catalogue._read import read_arrays, read_columns, read_csr, read_names

__all__ = [
    "CATALOGUE",
    "Dataset",
    "DatasetInfo",
    "FileInfo",
    "Status",
    "cache_folder",
    "dataset_info",
    "list_datasets",
    "load_dataset",
    "read_arrays",
    "read_columns",
    "read_csr",
    "read_names",
    "status",
]
