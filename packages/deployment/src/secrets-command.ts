import { resolve } from 'node:path';
import { writeSecrets } from './deployment-secrets.ts';

const directory = resolve(process.argv[2] ?? 'secrets');
const made = await writeSecrets(directory);
console.log(made.length > 0 ? `${directory}: made ${made.join(', ')}` : `${directory}: all are there`);
