import { openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';

/** Started as a process of its own by migrate.test.ts: `<database address> <directory>`. */
const [url = '', directory = ''] = process.argv.slice(2);
const db = openDatabase(url, { applicationName: 'kit-test-process' });
await migrate(db, [directory]);
await db.destroy();
