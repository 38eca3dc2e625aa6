import type { Place } from '@ops/contracts/resources/communication';
import type { MessageData } from './provider.ts';

/** What somebody sent, as text to read and files to fetch; cards of people and a place once more by their parts. */
export type Content = Pick<MessageData, 'body' | 'parts'> & Partial<Pick<MessageData, 'contacts' | 'place'>>;

/** The lines there are; nothing if there are none. */
export function words(...lines: (string | undefined)[]): Content | undefined {
  const body = lines.filter((line) => line !== undefined).join('\n');
  return body === '' ? undefined : { body, parts: [] };
}

export const cannotShow = (kind: string, why?: string): string =>
  `Sent something this channel cannot show: ${kind}${why ? ` (${why})` : ''}`;

interface GivenPlace {
  name?: string | undefined;
  address?: string | undefined;
  latitude?: string | undefined;
  longitude?: string | undefined;
  /** A map that came along. */
  url?: string | undefined;
}

/** A place as lines, the last of them a map to look at. */
export function placeLines({ name, address, latitude, longitude, url }: GivenPlace): string[] {
  const point = latitude && longitude ? `${latitude}, ${longitude}` : undefined;
  const lines = [name, address, point, url ?? mapOf(latitude, longitude)].filter((line) => line !== undefined);
  return lines.length === 0 ? [] : ['Location:', ...lines];
}

/** By its parts: coordinates that are none are left to the words. */
export function placeOf({ name, address, latitude = '', longitude = '' }: GivenPlace): Place | null {
  const isPoint = isWithin(latitude, 90) && isWithin(longitude, 180);
  if (!isPoint && name === undefined && address === undefined) return null;
  return {
    name: name ?? null,
    address: address ?? null,
    latitude: isPoint ? Number(latitude) : null,
    longitude: isPoint ? Number(longitude) : null,
  };
}

const isWithin = (given: string, most: number): boolean => degrees.test(given) && Math.abs(Number(given)) <= most;

const degrees = /^-?\d{1,3}(\.\d+)?$/;

const mapOf = (latitude = '', longitude = ''): string | undefined =>
  degrees.test(latitude) && degrees.test(longitude)
    ? `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}`
    : undefined;

/** A file that lies with the provider under that id or address. */
export const fileAt = (ref: string, media_type: string | undefined, name?: string): Content['parts'][number] => ({
  source: 'provider',
  ref,
  role: 'file',
  name: name ?? null,
  media_type: media_type ?? 'application/octet-stream',
  size: null,
  content_id: null,
});
