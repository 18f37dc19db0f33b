"""AnnData ``.h5ad``: labels in ``obsm`` or in columns of ``obs``; only these parts are read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, need_extra, shorten
from trueval.core.labels import Labels, as_labels
from trueval.core.sparse import check_indices
from trueval.data._columns import Lists, number_values
from trueval.data._entries import labels_of_lists
from trueval.data._formats._format import Format
from trueval.data._hdf5_stream import GuardedStream
from trueval.data._hdf5_texts import StoredTexts
from trueval.data._names import as_array, check_unique
from trueval.data._source import Source

__all__ = ["FORMATS"]


def _read(source: Source, key: Any = None, separator: str | None = None) -> Labels:
    """Labels; ``key`` is one of ``obsm``, or one or more columns of ``obs``.

    It may be left out if ``obsm`` has a single entry.
    """
    need_extra("anndata", "h5ad", "AnnData .h5ad")
    h5py = need_extra("h5py", "h5ad", "AnnData .h5ad")
    with (
        source.guard("AnnData"),
        source.seekable() as stream,
        h5py.File(GuardedStream(source, stream), "r") as file,
    ):
        texts = StoredTexts(file, h5py, stream)
        return _Reader(source, file, h5py, texts).labels(key, separator)


class _Reader:
    def __init__(self, source: Source, file: Any, h5py: Any, texts: StoredTexts) -> None:
        self._source = source
        self._file = file
        self._h5py = h5py
        self._texts = texts
        if "obs" not in file:
            raise source.fail(
                f"there is no 'obs' in it, only {shorten(', '.join(file), 200) or 'nothing'}: this "
                "is HDF5 but not AnnData.",
                fix="Write it with AnnData.write_h5ad.",
            )

    def labels(self, key: Any, separator: str | None) -> Labels:
        obsm = list(self._file["obsm"]) if "obsm" in self._file else []
        obs = [name for name in self._file["obs"] if not name.startswith("__")]
        if key is None:
            if len(obsm) != 1:
                raise self._source.fail(
                    "which part holds the labels? obsm has "
                    f"{shorten(', '.join(obsm) or 'none', 200)}, obs has "
                    f"{shorten(', '.join(obs) or 'none', 200)}.",
                    fix=Fix("Pass {}.", "key"),
                )
            key = obsm[0]
        index = self._index()
        if isinstance(key, str):
            key = key.removeprefix("obsm/")
            if key in obsm:
                value = as_labels(self._element(f"obsm/{key}"))
                return self._with_index(value, index)
            keys = [key.removeprefix("obs/")]
        else:
            keys = [str(k).removeprefix("obs/") for k in key]
        missing = [k for k in keys if k not in obs]
        if missing or not keys:
            raise self._source.fail(
                f"there is no {shorten(', '.join(missing))!r}; obsm has "
                f"{shorten(', '.join(obsm), 200)}, obs has {shorten(', '.join(obs), 200)}.",
                fix="Choose one of them.",
            )
        columns = [np.asarray(self._element(f"obs/{k}")) for k in keys]
        if len(keys) == 1 and columns[0].dtype.kind in "OUT":
            return self._separated(keys[0], columns[0], separator or ";", index)
        value = as_labels(
            np.column_stack([self._numbers(k, c) for k, c in zip(keys, columns, strict=True)])
        )
        return self._with_index(Labels._trusted(value.matrix, np.asarray(keys)), index)

    def _numbers(self, key: str, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype.kind not in "biuf":
            raise self._source.fail(
                f"the column holds {values.dtype}, not 0/1.",
                fix="Give one text column alone, or only 0/1 columns.",
                column=key,
            )
        return values

    def _with_index(self, labels: Labels, index: NDArray[Any]) -> Labels:
        if len(index) != labels.n_rows:
            raise self._source.fail(
                f"{labels.n_rows:,} rows of labels, but obs has {len(index):,}.",
                fix="The file is damaged: write it again.",
            )
        return Labels._trusted(labels.matrix, labels.classes, index)

    def _separated(
        self, key: str, cells: NDArray[Any], separator: str, index: NDArray[Any]
    ) -> Labels:
        lists = []
        for row, cell in enumerate(cells):
            if not isinstance(cell, str):
                raise self._source.fail(
                    "the labels are missing.",
                    fix="Fill them in (empty text for none).",
                    row=row,
                    column=key,
                )
            lists.append([label.strip() for label in cell.split(separator) if label.strip()])
        flat = as_array(self._source, [name for names in lists for name in names], "class names")
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        codes = number_values(flat)
        value = labels_of_lists(
            self._source, Lists(codes.names, codes.codes, offsets), None, natural=True
        )
        return self._with_index(value, index)

    def _index(self) -> NDArray[Any]:
        self._check_types(self._file["obs"])
        key = self._file["obs"].attrs.get("_index", "_index")
        values = self._element(f"obs/{key}")
        ids = as_array(self._source, [str(v) for v in values], "row ids")
        check_unique(self._source, ids, "row id")
        return ids

    def _element(self, path: str) -> Any:
        group, _, name = path.partition("/")
        link = self._file[group].get(name, getlink=True)
        if isinstance(link, self._h5py.ExternalLink | self._h5py.SoftLink):
            raise self._source.fail(
                f"{path} is a link out of its place.", fix="Write the file again."
            )
        element = self._file[path]
        sizes: list[int] = []
        if isinstance(element, self._h5py.Dataset):
            self._add_size("", element, sizes)
        else:
            self._check_types(element)
            element.visititems(lambda name, item: self._add_size(name, item, sizes))
        self._source.need(sum(sizes), path)
        self._check_shape(element, path)
        content = need_extra("anndata.io", "h5ad", "AnnData .h5ad").read_elem(element)
        if hasattr(content, "indptr"):
            check_indices(content)  # SciPy trusts them, and would crash
        return content

    def _check_shape(self, element: Any, path: str) -> None:
        shape = element.attrs.get("shape")
        if shape is not None:
            if len(shape) != 2 or any(int(n) < 0 for n in shape):
                raise self._source.fail(f"{path} declares the shape {list(shape)}.")
            self._source.need(8 * int(sum(int(n) for n in shape)), f"{path} of shape {list(shape)}")

    def _add_size(self, name: str, item: Any, sizes: list[int]) -> None:
        del name
        self._check_types(item)
        if isinstance(item, self._h5py.Dataset):
            if item.external or item.is_virtual:
                raise self._source.fail(
                    f"{item.name} is stored in other files.", fix="Write it again."
                )
            texts = self._texts.of_dataset(item)
            sizes.append(int(item.size or 0) * item.dtype.itemsize + texts)

    def _check_types(self, item: Any) -> None:
        """Refuse what AnnData does not have, and texts longer than the cap.

        Damaged sequences of any length crash h5py.
        """
        types = [item.attrs.get_id(name).get_type() for name in item.attrs]
        if isinstance(item, self._h5py.Dataset):
            types.append(item.id.get_type())
        for kind in types:
            if not self._texts.is_text(kind):
                self._check_parts(item, kind)
        self._source.need(self._texts.of_attributes(item), f"the attributes of {item.name}")

    def _check_parts(self, item: Any, whole: Any) -> None:
        kinds = [whole]
        while kinds:
            kind = kinds.pop()
            if isinstance(kind, self._h5py.h5t.TypeVlenID) or self._texts.is_text(kind):
                what = "records with texts" if self._texts.is_text(kind) else "sequences"
                raise self._source.fail(
                    f"{item.name} holds {what} of any length, which labels in AnnData do not have.",
                    fix="Write the labels as a matrix or as columns of obs.",
                )
            if isinstance(kind, self._h5py.h5t.TypeArrayID):
                kinds.append(kind.get_super())
            elif isinstance(kind, self._h5py.h5t.TypeCompoundID):
                kinds.extend(kind.get_member_type(i) for i in range(kind.get_nmembers()))


FORMATS = (
    Format(
        "h5ad",
        holds=("labels",),
        read=_read,
        options=("key", "separator"),
        suffixes=(".h5ad",),
        magic=(b"\x89HDF\r\n\x1a\n",),
        extra="h5ad",
    ),
)
