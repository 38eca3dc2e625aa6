import type pg from 'pg';
import { findMigrations } from '../database/migrate.ts';
import { failed, type Line, ok, warning } from './finding.ts';

interface MigrationsSeen {
  line: Line;
  /** The tables are as this version wants them. */
  complete: boolean;
}

export async function migrationsLine(client: pg.Client, directories: readonly URL[]): Promise<MigrationsSeen> {
  const { applied, pending, refusal } = await findMigrations(client, directories);
  if (refusal !== undefined) {
    const fix = 'run the version whose migrations ran here, or bring the changed file back from version control';
    return { line: failed('migrations', refusal, fix), complete: false };
  }
  if (pending.length === 0) return { line: ok('migrations', `all ${applied.length} are applied`), complete: true };
  const said = `${applied.length} applied, ${pending.length} pending: ${pending.join(', ')}`;
  const fix = 'run migrate (docker compose run --rm migrate); a process that starts applies its own as well';
  return { line: warning('migrations', said, fix), complete: false };
}
