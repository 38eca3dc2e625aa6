import { firstValue, type Mail } from './mail.ts';

/** Without a day and a month the runtime would make one up. */
const dated = /\d\s*[a-z]{3}|[a-z]{3}\s*\d|\d-\d/i;
const zone = /(?:[+-]\d{4}|\b(?:GMT|UTC?|Z|[ECMP][SD]T))\s*(?:\([^)]*\))?\s*$/i;

/** As its writer's clock had it; a time without a zone is taken for UTC, wherever this runs. */
export function dateOf(mail: Mail): Date | undefined {
  const given = firstValue(mail, 'date')?.slice(0, 100);
  if (given === undefined || !dated.test(given)) return undefined;
  const date = new Date(zone.test(given) ? given : `${given} +0000`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
