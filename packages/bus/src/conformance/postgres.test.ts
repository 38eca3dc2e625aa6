import { onPostgres } from './postgres.ts';
import { conformanceSuite } from './suite.ts';

conformanceSuite(onPostgres());
