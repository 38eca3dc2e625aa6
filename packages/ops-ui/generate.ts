import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '@ops/contracts/openapi';

/** The types of every route, from the document that the system itself serves. */
const place = mkdtempSync(join(tmpdir(), 'ops-openapi-'));
try {
  const document = join(place, 'openapi.json');
  writeFileSync(document, JSON.stringify(openApiDocument()));
  const output = join(import.meta.dirname, 'src/api/schema.gen.ts');
  const program = join(import.meta.dirname, 'node_modules/.bin/openapi-typescript');
  execFileSync(program, [document, '--output', output], { stdio: ['ignore', 'ignore', 'inherit'] });
} finally {
  rmSync(place, { recursive: true });
}
