import type { Place } from '../api/types.ts';

/** Asked for by whoever clicks, and by nothing before. Null: nobody knows where it is. */
export function mapsOf({ name, address, latitude, longitude }: Place): { map: string; app: string } | null {
  if (latitude !== null && longitude !== null)
    return {
      map: `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`,
      app: `geo:${latitude},${longitude}?q=${latitude},${longitude}`,
    };
  const asked = [name, address].filter(Boolean).join(', ');
  if (asked === '') return null;
  const q = encodeURIComponent(asked);
  return { map: `https://www.openstreetmap.org/search?query=${q}`, app: `geo:0,0?q=${q}` };
}

/** Only what leads to a page of the web is a link: who sent it may have written anything. */
export function webAddress(given: string): string | null {
  const url = URL.parse(/^[a-z][\w+.-]*:/i.test(given) ? given : `https://${given}`);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}
