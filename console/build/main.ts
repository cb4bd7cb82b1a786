// Builds the console into the folder that is named, in a process of its own (gateway/console/built.ts).
import { argv } from 'node:process';
import { buildConsole } from './build.ts';

const [, , folder] = argv;
if (folder === undefined) throw new Error('usage: node console/build/main.ts <folder>');
await buildConsole(folder);
