const unattendedAfterMs = 5 * 60_000;

let touchedAt = Date.now();
const touched = (): void => {
  touchedAt = Date.now();
};
export function watchWhoIsThere(): void {
  for (const kind of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
    addEventListener(kind, touched, { passive: true, capture: true });
}

/** What a page fetches that nobody has touched for a while is no sign of its person, and keeps nobody signed in. */
export const headersOfWhoIsThere = (): Record<string, string> =>
  Date.now() - touchedAt < unattendedAfterMs ? {} : { 'X-Unattended': '1' };
