import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';

export const root = join(import.meta.dirname, '..', '..');
export const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface ComposeService {
  image: string;
  profiles?: string[];
  build?: { target: string };
  user?: string;
  volumes?: string[];
  ports?: string[];
  networks: string[] | Record<string, unknown>;
  environment?: Record<string, string>;
  secrets?: (string | { source: string; target: string })[];
}

interface Compose {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  secrets: Record<string, { file: string }>;
}

/** As it stands, with what is said once for several services put in place. */
export const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;

export const secretsOf = ({ secrets = [] }: ComposeService): string[] =>
  secrets.map((one) => (typeof one === 'string' ? one : one.source));

/** What `cp .env.example .env` sets. */
export const example = parseEnv(read('.env.example')) as Record<string, string>;
