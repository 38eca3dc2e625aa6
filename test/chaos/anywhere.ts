import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import type { System } from '@ops/test-system/system';

const owners = ['comms', 'renewals', 'ingest', 'notifier'] as const;

/**
 * Where any of these texts stands: in which tables that a service sees, the bus and who changed what among them, and in which files of
 * the system; as it is, in bytes, in base64, quoted-printable, and in what is packed.
 */
export async function whereAnywhere(system: System, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.map((text) => text.toLowerCase());
  const holds = (bytes: Buffer) => unpacked(bytes).some((one) => wanted.some((text) => one.includes(text)));
  const found: string[] = [];
  for (const owner of owners)
    for (const table of await tablesOf(system, owner)) {
      const { rows } = await system
        .database(owner)
        .raw<{ rows: { row: unknown }[] }>(`SELECT to_jsonb(t) AS row FROM ${table} t`);
      if (rows.some(({ row }) => valuesOf(row).some(holds))) found.push(`${owner}: ${table}`);
    }
  for (const file of await filesOfSystems())
    if (holds(await readFile(file).catch(() => Buffer.alloc(0)))) found.push(file);
  return found;
}

async function tablesOf(system: System, owner: (typeof owners)[number]): Promise<string[]> {
  const { rows } = await system.database(owner).raw<{ rows: { name: string }[] }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
       AND has_table_privilege(c.oid, 'SELECT') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** But for what plays the world outside, which keeps what it was sent. */
async function filesOfSystems(): Promise<string[]> {
  const made = (await readdir(tmpdir())).filter((name) => name.startsWith('ops-test-system-'));
  const entries = await Promise.all(
    made.map((name) => readdir(join(tmpdir(), name), { recursive: true, withFileTypes: true }).catch(() => [])),
  );
  return entries
    .flat()
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('provider-sim'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Each text of a row; of bytes, which come in hexadecimal, these. */
function valuesOf(value: unknown): Buffer[] {
  if (typeof value === 'string')
    return [value.startsWith('\\x') ? Buffer.from(value.slice(2), 'hex') : Buffer.from(value)];
  if (typeof value !== 'object' || value === null) return [];
  return [Buffer.from(JSON.stringify(value)), ...Object.values(value).flatMap(valuesOf)];
}

/** In small letters, with all that is written or packed in it, and in that, to a depth. */
export function unpacked(bytes: Buffer, depth = 3): string[] {
  const text = bytes.toString('latin1');
  const here = [text.toLowerCase()];
  if (depth === 0 || bytes.length === 0) return here;
  const inside = [...quotedPrintable(text), ...base64In(text), ...gzipIn(bytes), ...zipIn(bytes)];
  return [...here, ...inside.flatMap((one) => unpacked(one, depth - 1))];
}

function quotedPrintable(text: string): Buffer[] {
  if (!/=(?:[0-9A-F]{2}|\r?\n)|%[0-9A-F]{2}/i.test(text)) return [];
  const plain = text
    .replace(/=\r?\n/g, '')
    .replace(/[=%]([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return [Buffer.from(plain, 'latin1')];
}

/** Also in lines, as in a mail, and in what is escaped in JSON. */
function base64In(text: string): Buffer[] {
  const runs = text.replace(/(?:\\r)?(?:\\n)|\r?\n/g, '').match(/[A-Za-z0-9+/_-]{16,}/g) ?? [];
  return runs.map((run) => Buffer.from(run, 'base64'));
}

function gzipIn(bytes: Buffer): Buffer[] {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return [];
  return tried(() => gunzipSync(bytes));
}

function zipIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = bytes.indexOf('PK\x03\x04'); at >= 0; at = bytes.indexOf('PK\x03\x04', at + 4)) {
    const begin = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    const content = bytes.subarray(begin, begin + bytes.readUInt32LE(at + 18));
    found.push(...(bytes.readUInt16LE(at + 8) === 8 ? tried(() => inflateRawSync(content)) : [content]));
  }
  return found;
}

function tried(unpack: () => Buffer): Buffer[] {
  try {
    return [unpack()];
  } catch {
    return [];
  }
}
