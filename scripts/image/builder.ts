// Programs that build images, and those of them that run containers.
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

export interface Builder {
  readonly program: 'podman' | 'docker' | 'buildah';
  /** Buildah builds images alone. */
  readonly runs: boolean;
}

export interface BuildOptions {
  readonly tags: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** Of the Containerfile: the images that it is built on. */
  readonly arguments: Readonly<Record<string, string>>;
  /** Files that the build reads and the image does not keep. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In the order of preference. A client of Docker without its daemon does not answer. */
const BUILDERS: readonly (readonly [Builder, args: readonly string[]])[] = [
  [{ program: 'podman', runs: true }, ['info']],
  [{ program: 'docker', runs: true }, ['info']],
  [{ program: 'buildah', runs: false }, ['info']],
];

const run = promisify(execFile);

/** What a program printed, and its exit code; 127 where it cannot be started. */
export async function output(program: string, args: readonly string[]): Promise<Outcome> {
  try {
    const { stdout, stderr } = await run(program, args, { maxBuffer: 2 ** 28 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number | string; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : 127, stdout, stderr };
  }
}

/** @throws Error with what it wrote, when it fails */
export async function succeed(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await output(program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** The first builder that answers here, or the one that is named if it does. */
export async function findBuilder(named?: string): Promise<Builder | undefined> {
  for (const [builder, args] of BUILDERS) {
    if (named !== undefined && builder.program !== named) continue;
    const { code, stdout } = await output(builder.program, args);
    // `docker info` succeeds without its daemon in some releases.
    if (code === 0 && !/^\s*(?:ERROR|Cannot connect)/m.test(stdout)) return builder;
  }
  return undefined;
}

/** Builds deploy/container/Containerfile of the root folder, with its output on this terminal. @throws Error */
export async function build({ program }: Builder, root: string, options: BuildOptions): Promise<void> {
  const each = (flag: string, pairs: Readonly<Record<string, string>>, join: (name: string, value: string) => string) =>
    Object.entries(pairs).flatMap(([name, value]) => [flag, join(name, value)]);
  const args = [
    'build',
    // The format of OCI has no HEALTHCHECK; Docker knows no other than its own.
    ...(program === 'docker' ? [] : ['--format', 'docker']),
    ...['--file', 'deploy/container/Containerfile'],
    ...options.tags.flatMap((tag) => ['--tag', tag]),
    ...each('--label', options.labels, (name, value) => `${name}=${value}`),
    ...each('--build-arg', options.arguments, (name, value) => `${name}=${value}`),
    ...each('--secret', options.secrets, (name, value) => `id=${name},src=${value}`),
    '.',
  ];
  // A client of Docker without buildx would take the older builder, which knows neither mounts nor secrets.
  const env = { ...process.env, DOCKER_BUILDKIT: '1' };
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', env });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} build ended with ${code}`);
}

/** What a program of Node.js writes inside the image. @throws Error */
export async function evaluate({ program }: Builder, tag: string, code: string): Promise<string> {
  if (program !== 'buildah') return succeed(program, ['run', '--rm', '--entrypoint', 'node', tag, '--eval', code]);
  const container = (await succeed(program, ['from', '--pull=never', tag])).trim();
  try {
    return await succeed(program, ['run', container, '--', 'node', '--eval', code]);
  } finally {
    await succeed(program, ['rm', container]);
  }
}
