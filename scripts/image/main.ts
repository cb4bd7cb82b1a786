// `npm run image`: builds the image, writes its bill of materials and tries the image. Where there is no builder it
// reads the Containerfile and says what is wrong with it.
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build, evaluate, findBuilder, output } from './builder.ts';
import { faultsOf } from './containerfile.ts';
import { smokeTest } from './smoke.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const CONTAINERFILE = path.join(ROOT, 'deploy/container/Containerfile');

const USAGE = `usage: npm run image -- [options]

  --tag NAME             the name of the image; default: kedja:VERSION, and kedja
  --builder PROGRAM      podman, docker or buildah; default: the first of them that answers
  --node-image NAME      the image with Node.js and npm that builds; default: that of the Containerfile
  --runtime-image NAME   the image that Kedja is put on; default: that of the Containerfile
  --npmrc FILE           an .npmrc for the build; it is not kept in the image
  --certificates FILE    certificates that npm trusts in the build (PEM); they are not kept in the image
  --sbom FILE            where the bill of materials is written; default: kedja.cdx.json
  --no-smoke             do not try the image

Exit code 0: the image is built and did what it must; or, without a builder, the Containerfile has no fault.`;

const { values } = parseArgs({
  options: {
    tag: { type: 'string' },
    builder: { type: 'string' },
    'node-image': { type: 'string' },
    'runtime-image': { type: 'string' },
    npmrc: { type: 'string' },
    certificates: { type: 'string' },
    sbom: { type: 'string', default: 'kedja.cdx.json' },
    'no-smoke': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else process.exitCode = await main();

async function main(): Promise<number> {
  const faults = await lint();
  for (const fault of faults) console.error(`Containerfile: ${fault}`);
  if (faults.length > 0) return 1;
  const secrets = given({ npmrc: values.npmrc, certificates: values.certificates });
  for (const file of Object.values(secrets)) {
    if (existsSync(file)) continue;
    console.error(`${file} is not there`);
    return 1;
  }
  const builder = await findBuilder(values.builder);
  if (builder === undefined) {
    console.log(`No image was built: ${values.builder ?? 'none of podman, docker and buildah'} answers here.`);
    console.log('The Containerfile was read, and has no fault.');
    return values.builder === undefined ? 0 : 1;
  }
  const { version } = ownPackage();
  const tags = values.tag === undefined ? [`kedja:${version}`, 'kedja'] : [values.tag];
  const [tag = ''] = tags;
  await build(builder, ROOT, {
    tags,
    labels: await labels(),
    arguments: given({ NODE_IMAGE: values['node-image'], RUNTIME_IMAGE: values['runtime-image'] }),
    secrets,
  });
  const bill = await evaluate(builder, tag, "process.stdout.write(fs.readFileSync('/app/sbom.cdx.json'))");
  await writeFile(values.sbom, bill);
  console.log(`${values.sbom}: the bill of materials, ${JSON.parse(bill).components.length} components`);
  if (values['no-smoke']) return 0;
  if (!builder.runs) {
    console.log(`The image was not tried: ${builder.program} builds images, and podman or docker runs them.`);
    return 0;
  }
  await smokeTest(builder.program, tag, console.log);
  return 0;
}

/** By our own rules, and by hadolint's where it is installed. */
async function lint(): Promise<string[]> {
  const { code, stdout } = await output('hadolint', [CONTAINERFILE]);
  const faults = faultsOf(readFileSync(CONTAINERFILE, 'utf8'));
  return code === 0 || code === 127 ? faults : [...faults, ...stdout.trimEnd().split('\n')];
}

function ownPackage(): Readonly<Record<'version' | 'license' | 'description', string>> {
  return JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
}

async function labels(): Promise<Record<string, string>> {
  const { version, license, description } = ownPackage();
  const revision = await output('git', ['-C', ROOT, 'rev-parse', 'HEAD']);
  const name = (key: string) => `org.opencontainers.image.${key}`;
  return {
    [name('title')]: 'Kedja',
    [name('description')]: description,
    [name('licenses')]: license,
    [name('version')]: version,
    ...(revision.code === 0 ? { [name('revision')]: revision.stdout.trim() } : {}),
  };
}

function given(all: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
