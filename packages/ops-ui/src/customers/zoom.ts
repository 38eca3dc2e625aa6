export const leastZoom = 1;
export const mostZoom = 4;
const step = 1.5;

/** What a key makes of how large a picture is shown, 1 being all of it; undefined: it is no key for that. */
export function zoomedBy(key: string, zoom: number): number | undefined {
  if (key === '+' || key === '=') return Math.min(mostZoom, zoom * step);
  if (key === '-' || key === '_') return Math.max(leastZoom, zoom / step);
  return key === '0' ? leastZoom : undefined;
}
