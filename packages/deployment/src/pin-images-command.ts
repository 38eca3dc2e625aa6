import { pinImages } from './pin-images.ts';

const usage =
  'usage: pin-images [REGISTRY=URL ...], such as docker.io=https://mirror.example.com for one that answers elsewhere';

const hosts = process.argv.slice(2).map((one) => /^([\w.:-]+)=(https?:\/\/.+)$/.exec(one)?.slice(1) ?? []);
if (hosts.some(({ length }) => length === 0)) {
  console.error(usage);
  process.exit(2);
}
await pinImages(process.cwd(), console.log, Object.fromEntries(hosts)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
