import { parseArgs } from 'node:util';
import { billOfMaterials, knownHoles, licences, secrets } from './supply-chain.ts';

/** `npm run supply-chain [-- --sbom FILE]`: of what is shipped, what it is made of and whether it may and should be. */
const { values } = parseArgs({ options: { sbom: { type: 'string' } } });
const shown = { ok: 'ok    ', failed: 'FAILED', undone: 'UNDONE' };
for (const made of [billOfMaterials(values.sbom), licences(), knownHoles(), secrets()]) {
  const { name, outcome, words } = await made;
  console.log(`${shown[outcome]} ${name}: ${words}`);
  if (outcome === 'failed') process.exitCode = 1;
}
