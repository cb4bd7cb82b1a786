// The compiled code of our modules and packages, kept between starts: about half of a start's time. JavaScript, as it
// works before the first module whose types would be stripped.
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';

/**
 * Enables the compile cache of this process, and of the threads and processes that it starts: these have it by the
 * variable alone (nodejs.org/api/module.html#module-compile-cache). Without it each thread would strip the types of its
 * modules itself, by a parser of 20 MB.
 */
export function keepCompiledModules() {
  nodeModule.enableCompileCache();
  const folder = nodeModule.getCompileCacheDir();
  // biome-ignore lint/style/noProcessEnv: written for Node, not read for Kedja
  if (folder !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(folder);
}
