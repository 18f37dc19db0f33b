"use strict";
// Where an id is explained: links are made for ids of a known form only.

const LINKS = {
  class: [[/^GO:\d{7}$/, (id) => `https://amigo.geneontology.org/amigo/term/${id}`]],
  row: [
    [
      /^(?:[OPQ]\d[A-Z\d]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z\d]{2}\d){1,2})(?:-\d+)?$/,
      (id) => `https://www.uniprot.org/uniprotkb/${id}`,
    ],
  ],
};

function linkOf(kind, id) {
  const known = LINKS[kind].find(([form]) => form.test(id));
  return known ? known[1](id) : null;
}

function linked(text, address) {
  if (!address) return text;
  return make("a", { class: "out", href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}
