// Bindings of the kernels of trueval.data.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "data/fields.hpp"
#include "data/lines.hpp"
#include "data/names.hpp"
#include "data/rows.hpp"
#include "data/text_hash.hpp"

using namespace trueval;

namespace {

std::tuple<Out<int64_t>, Out<int64_t>, int64_t, int64_t, int64_t, int64_t> bound_label_lines(
    In<uint8_t> text, int64_t n_labels, int64_t n_features, bool svmlight) {
    LabelLines found;
    {
        nb::gil_scoped_release release;
        found = parse_label_lines(reinterpret_cast<const char *>(text.data()), text.size(),
                                  n_labels, n_features, svmlight);
    }
    return {to_numpy(std::move(found.counts)), to_numpy(std::move(found.labels)),
            static_cast<int64_t>(found.error), found.line, found.offset, found.last_written};
}

std::tuple<Out<int32_t>, Out<int32_t>, Out<int32_t>, Out<int32_t>, int64_t, int64_t>
bound_split_fields(Inout<uint8_t> text, uint8_t delimiter, int64_t width, In<int32_t> columns) {
    Fields found;
    {
        nb::gil_scoped_release release;
        found = split_fields(reinterpret_cast<char *>(text.data()),
                             static_cast<int64_t>(text.size()), static_cast<char>(delimiter),
                             width, columns.data(), static_cast<int64_t>(columns.size()));
    }
    return {to_numpy(std::move(found.starts)), to_numpy(std::move(found.stops)),
            to_numpy(std::move(found.blank_rows)), to_numpy(std::move(found.blank_counts)),
            static_cast<int64_t>(found.error), found.line};
}

const char *bytes_of(const In<uint8_t> &text) {
    return reinterpret_cast<const char *>(text.data());
}

Out<uint64_t> bound_text_hashes(In<uint8_t> text, In<int64_t> bounds) {
    std::vector<uint64_t> hashes(bounds.size() - 1);
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < hashes.size(); ++i)
            hashes[i] = text_hash(text.data() + bounds.data()[i], text.data() + bounds.data()[i + 1]);
    }
    return to_numpy(std::move(hashes));
}

void bound_strip_fields(In<uint8_t> text, Inout<int32_t> starts, Inout<int32_t> stops) {
    nb::gil_scoped_release release;
    const char *base = bytes_of(text);
    int32_t *first = starts.data(), *last = stops.data();
    for (size_t i = 0; i < starts.size(); ++i) {
        const std::string_view cell = fields::strip(base + first[i], base + last[i]);
        first[i] = static_cast<int32_t>(cell.data() - base);
        last[i] = first[i] + static_cast<int32_t>(cell.size());
    }
}

std::tuple<Out<int32_t>, Out<int32_t>, int64_t> bound_find_flags(
    In<uint8_t> text, In<int32_t> starts, In<int32_t> stops, int64_t n_columns) {
    Flags found;
    {
        nb::gil_scoped_release release;
        found = find_flags(bytes_of(text), starts.data(), stops.data(),
                           static_cast<int64_t>(starts.size()), n_columns);
    }
    return {to_numpy(std::move(found.counts)), to_numpy(std::move(found.columns)), found.bad};
}

Out<int32_t> bound_numbers(Names &names, In<uint8_t> text, In<int32_t> starts,
                           In<int32_t> stops, bool empty_too) {
    std::vector<int32_t> out;
    {
        nb::gil_scoped_release release;
        out = names.numbers(bytes_of(text), starts.data(), stops.data(),
                            static_cast<int64_t>(starts.size()), empty_too);
    }
    return to_numpy(std::move(out));
}

std::tuple<Out<int32_t>, Out<int32_t>, bool> bound_split(Names &names, In<uint8_t> text,
                                                         In<int32_t> starts, In<int32_t> stops,
                                                         const std::string &separator) {
    std::vector<int32_t> counts, out;
    bool whole;
    {
        nb::gil_scoped_release release;
        whole = names.split(bytes_of(text), starts.data(), stops.data(),
                            static_cast<int64_t>(starts.size()), separator, counts, out);
    }
    return {to_numpy(std::move(counts)), to_numpy(std::move(out)), whole};
}

void bound_fill(const Names &names, Inout<uint32_t> out, int64_t width) {
    nb::gil_scoped_release release;
    names.fill(out.data(), width);
}

int64_t bound_canonical_rows(Inout<int64_t> indptr, Inout<int32_t> indices) {
    nb::gil_scoped_release release;
    return canonical_rows(indptr.data(), static_cast<int64_t>(indptr.size()) - 1,
                          indices.data());
}

std::tuple<Out<int64_t>, Out<int32_t>> bound_group_rows(In<int32_t> rows, In<int32_t> columns,
                                                        int64_t n_rows) {
    std::vector<int64_t> indptr;
    std::vector<int32_t> indices;
    {
        nb::gil_scoped_release release;
        indptr.assign(static_cast<size_t>(n_rows) + 1, 0);
        indices.resize(rows.size());
        group_rows(rows.data(), columns.data(), static_cast<int64_t>(rows.size()), indptr,
                   indices);
    }
    return {to_numpy(std::move(indptr)), to_numpy(std::move(indices))};
}

}  // namespace

void bind_data(nb::module_ &m) {
    using namespace nb::literals;
    m.def("label_lines", &bound_label_lines, "text"_a, "n_labels"_a, "n_features"_a,
          "svmlight"_a);
    m.def("split_fields", &bound_split_fields, "text"_a, "delimiter"_a, "width"_a, "columns"_a);
    m.def("strip_fields", &bound_strip_fields, "text"_a, "starts"_a, "stops"_a);
    m.def("find_flags", &bound_find_flags, "text"_a, "starts"_a, "stops"_a, "n_columns"_a);
    m.def("canonical_rows", &bound_canonical_rows, "indptr"_a, "indices"_a);
    m.def("group_rows", &bound_group_rows, "rows"_a, "columns"_a, "n_rows"_a);
    m.def("text_hashes", &bound_text_hashes, "text"_a, "bounds"_a);
    nb::class_<Names>(m, "Names")
        .def(nb::init<uint64_t>(), "seed"_a)
        .def("__len__", &Names::size)
        .def_prop_ro("longest", &Names::longest)
        .def_prop_ro("invalid", &Names::invalid)
        .def("name", [](const Names &names, int64_t i) {
            const std::string_view text = names.name(i);
            return nb::bytes(text.data(), text.size());
        }, "i"_a)
        .def("numbers", &bound_numbers, "text"_a, "starts"_a, "stops"_a, "empty_too"_a)
        .def("split", &bound_split, "text"_a, "starts"_a, "stops"_a, "separator"_a)
        .def("fill", &bound_fill, "out"_a, "width"_a);
}
