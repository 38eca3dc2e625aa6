/** A zone where the clocks show this hour now: what must not depend on the time of day is then said of any. */
export function zoneWhereItIs(hour: number, now = new Date()): string {
  const ahead = (hour - now.getUTCHours() + 36) % 24;
  const offset = ahead - 12;
  // These zones count the other way round.
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

/** The date so many days from now on calendars there. */
export function dateIn(zone: string, days = 0, now = new Date()): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(now);
  return new Date(Date.parse(`${today}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
