/** Other ways in which a stored number may write the line a provider names. */
export interface PhoneForms {
  /** The very same line. */
  same: string[];
  /** The same line if nobody has the number as it is written: else it may be another one. */
  likely: string[];
}

// Brazil put a 9 before mobile numbers, which begin with 6 to 9; 2 to 5 is a landline and never had one.
const BRAZIL_LONG = /^\+55(?<area>\d\d)9(?<line>[6-9]\d{7})$/;
const BRAZIL_SHORT = /^\+55(?<area>\d\d)(?<line>[6-9]\d{7})$/;
// Mexico used to put a 1 before mobile numbers.
const MEXICO_LONG = /^\+521(?<line>\d{10})$/;
const MEXICO_SHORT = /^\+52(?<line>\d{10})$/;
// Argentina puts a 9 before mobile numbers called from abroad; without it the same digits may be a landline.
const ARGENTINA_MOBILE = /^\+549(?<line>\d{10})$/;
const ARGENTINA_SHORT = /^\+54(?<line>\d{10})$/;

const sameLine: [RegExp, string][] = [
  [BRAZIL_LONG, '+55$<area>$<line>'],
  [BRAZIL_SHORT, '+55$<area>9$<line>'],
  [MEXICO_LONG, '+52$<line>'],
  [MEXICO_SHORT, '+521$<line>'],
];
const likelyLine: [RegExp, string][] = [[ARGENTINA_MOBILE, '+54$<line>']];

const shortened: [RegExp, string][] = [
  [BRAZIL_LONG, '+55$<area>$<line>'],
  [MEXICO_LONG, '+52$<line>'],
  [ARGENTINA_MOBILE, '+54$<line>'],
];

const lengthened: [RegExp, string][] = [
  [BRAZIL_SHORT, '+55$<area>9$<line>'],
  [MEXICO_SHORT, '+521$<line>'],
  [ARGENTINA_SHORT, '+549$<line>'],
];

export const otherForms = (phone: string): PhoneForms => ({
  same: written(phone, sameLine),
  likely: written(phone, likelyLine),
});

/** One form for all numbers that may match each other. */
export const commonForm = (phone: string): string => written(phone, shortened)[0] ?? phone;

/** All numbers that have one form in common with this one. */
export function everyForm(phone: string): string[] {
  const common = commonForm(phone);
  return [common, ...written(common, lengthened)];
}

const written = (phone: string, rules: [RegExp, string][]): string[] =>
  rules.filter(([form]) => form.test(phone)).map(([form, other]) => phone.replace(form, other));
