/** In this order: one browser names others that it is like. */
const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const machines = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const;

/** What a browser calls itself, as somebody would: "Firefox on Windows". */
export function browserInWords(userAgent: string): string {
  const named = (table: readonly (readonly [RegExp, string])[]) => table.find(([is]) => is.test(userAgent))?.[1];
  const [browser, machine] = [named(browsers), named(machines)];
  if (browser === undefined) return userAgent.slice(0, 60) || 'Not told';
  return machine === undefined ? browser : `${browser} on ${machine}`;
}
