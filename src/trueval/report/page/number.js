"use strict";
// How numbers read: the twin of trueval/show/_numbers.py.

function number(x, digits = 3) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (typeof x === "boolean") return x ? "yes" : "no";
  if (typeof x !== "number") return String(x);
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  if (size >= 1e9 || (size > 0 && size < 10 ** -digits)) return significant(x);
  const places = size < 1000 ? digits : Math.min(digits, 1);
  return x.toFixed(places).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");
}

// Three significant digits; an exponent where Python writes one.
function significant(x) {
  const size = Math.abs(x);
  if (size < 1e-4 || size >= 1e3) {
    const [mantissa, exponent] = x.toExponential(2).split("e");
    return `${Number(mantissa)}e${exponent}`;
  }
  return String(Number(x.toPrecision(3)));
}

const show = {
  whole: (x) => (x === null ? "–" : x.toLocaleString("en")),
  signed: (x) => (x > 0 ? `+${x.toLocaleString("en")}` : x < 0 ? `−${(-x).toLocaleString("en")}` : "0"),
  rate: (x) => number(x, 3),
  fine: (x) => number(x, 4),
  text: (x) => String(x),
  yes: (x) => (x ? "yes" : "no"),
};
