const names: [hours: number, names: string][] = [
  [0, 'Z UT UTC GMT WET'],
  [1, 'CET MEZ WEST BST'],
  [2, 'CEST MEST MESZ EET OEZ SAST'],
  [3, 'EEST OESZ MSK TRT'],
  [4, 'GST'],
  [5.5, 'IST'],
  [7, 'ICT WIB'],
  [8, 'SGT HKT AWST PHT'],
  [9, 'JST KST'],
  [9.5, 'ACST'],
  [10, 'AEST'],
  [11, 'AEDT'],
  [12, 'NZST'],
  [13, 'NZDT'],
  [-3, 'ADT BRT ART'],
  [-4, 'EDT AST'],
  [-5, 'EST CDT'],
  [-6, 'CST MDT'],
  [-7, 'MST PDT'],
  [-8, 'PST AKDT'],
  [-9, 'AKST'],
  [-10, 'HST'],
];
const hoursEast = new Map(names.flatMap(([hours, all]) => all.split(' ').map((name) => [name, hours] as const)));

const furthest = 14 * 60;

/** What follows a time, as minutes east of Greenwich: a number before a name. Null for what no place on earth has. */
export function minutesEast(text: string): number | null {
  const [, sign, hours, minutes = '0'] = /(?:^|[^\d])([+-])(\d{1,2}):?(\d{2})?(?!\d)/.exec(text) ?? [];
  if (hours !== undefined) {
    const east = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
    return Math.abs(east) <= furthest && Number(minutes) < 60 ? east : null;
  }
  for (const [name] of text.matchAll(/[A-Z]+/gi)) {
    const found = hoursEast.get(name.toUpperCase());
    if (found !== undefined) return found * 60;
  }
  return 0;
}
