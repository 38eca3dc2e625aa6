import { parse } from 'yaml';
import { read } from './dockerfile.ts';

export interface ComposeService {
  image: string;
  build?: { target: string };
  user?: string;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  mem_limit?: string;
  cpus?: number;
  pids_limit?: number;
  restart?: string;
  profiles?: string[];
  command?: string[];
  volumes?: string[];
  ports?: string[];
  networks: string[] | Record<string, unknown>;
  environment?: Record<string, string>;
  secrets?: (string | { source: string; target: string })[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

interface Compose {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, null>;
  secrets: Record<string, { file: string }>;
}

/** As it stands, with what is said once for several services put in place. */
export const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;

export const networksOf = ({ networks }: ComposeService): string[] =>
  Array.isArray(networks) ? networks : Object.keys(networks);

export const secretsOf = ({ secrets = [] }: ComposeService): string[] =>
  secrets.map((one) => (typeof one === 'string' ? one : one.source));

/** What `cp .env.example .env` sets. */
export const example: Record<string, string> = Object.fromEntries(
  [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
);

/** `${NAME}`, `${NAME:-usual}` and `${NAME:?complaint}` as compose replaces them. */
export const filledIn = (value: string): string =>
  value.replaceAll(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g, (_all, name: string, how: string, word: string) => {
    if (example[name]) return example[name];
    if (how === '?') throw new Error(`${name}: ${word}`);
    return word ?? '';
  });
