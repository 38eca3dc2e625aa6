/** What may be passed on together with what we ship, as long as their words go along. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-3.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
];

/** Of an SPDX expression: one of what it offers, and all of what that asks for. */
export function mayBePassedOn(expression: string): boolean {
  const offers = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return offers.some((offer) => offer.split(' AND ').every((licence) => allowed.includes(licence)));
}
