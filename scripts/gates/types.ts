// The types gate: the compiler over the services and, with the browser's types, over the console.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc');
const PROJECTS = ['tsconfig.json', 'console/tsconfig.json'].filter((project) => existsSync(project));

const results = PROJECTS.map((project) => spawnSync(TSC, ['--noEmit', '-p', project], { stdio: 'inherit' }));
process.exitCode = results.every(({ status }) => status === 0) ? 0 : 1;
