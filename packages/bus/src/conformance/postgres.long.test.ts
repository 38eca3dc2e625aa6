import { onPostgres } from './postgres.ts';
import { volumeSuite } from './suite.ts';

volumeSuite(onPostgres());
