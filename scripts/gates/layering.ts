// The layering gate: runs dependency-cruiser with layering-rules.ts over a source tree. It makes sure that it saw every
// file, and in each file at least the imports that a plain reading of its text finds.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { cruiseOptions, layeringRules, SHARED_WITH_CONSOLE } from './layering-rules.ts';

export interface LayeringResult {
  readonly modules: number;
  readonly dependencies: number;
  /** One text per broken rule and import; also what the tool failed to see. */
  readonly issues: readonly string[];
}

const NO_SOURCES = ['**/node_modules', 'console/dist', 'data'];
const SHARED: ReadonlySet<string> = new Set(SHARED_WITH_CONSOLE.map((file) => normalize(file)));
const IMPORT = /^(?:import|export)\s[^'";]*?from\s*'([^']+)'|^import\s+'([^']+)'|^\}\s*from\s*'([^']+)'/gm;

/** Checks the tree below `root`, whose package.json must define the subpath imports. */
export async function checkLayering(root: string, options = cruiseOptions): Promise<LayeringResult> {
  const files = globSync('**/*.ts', { cwd: root, exclude: NO_SOURCES }).sort();
  if (files.length === 0) return { modules: 0, dependencies: 0, issues: [`no source file found in ${root}`] };
  const { output } = await cruise(files, {
    ...options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [...layeringRules] },
  });
  if (typeof output === 'string') throw new Error('dependency-cruiser answered a report instead of its result');
  const issues = [...blindSpots(root, files, output), ...violations(output), ...componentIssues(root)];
  return { modules: output.summary.totalCruised, dependencies: output.summary.totalDependenciesCruised ?? 0, issues };
}

function violations(result: ICruiseResult): string[] {
  return result.summary.violations.map(({ rule, from, to, cycle }) => {
    const comment = layeringRules.find((candidate) => candidate.name === rule.name)?.comment ?? '';
    const path = cycle === undefined ? to : cycle.map((step) => step.name).join(' → ');
    return `${rule.name}: ${from} → ${path}. ${comment}`;
  });
}

/** What dependency-cruiser did not see; a parser that it cannot use makes it see nothing and find no violation. */
function blindSpots(root: string, files: readonly string[], result: ICruiseResult): string[] {
  const seen = new Map(
    result.modules.map((module) => [module.source, new Set(module.dependencies.map((each) => each.module))]),
  );
  const issues: string[] = [];
  for (const file of files) {
    const dependencies = seen.get(file);
    if (dependencies === undefined) {
      issues.push(`blind: ${file} was not seen`);
      continue;
    }
    const missed = importsIn(readFileSync(join(root, file), 'utf8')).filter((name) => !dependencies.has(name));
    for (const name of missed) issues.push(`blind: the import of ${name} in ${file} was not seen`);
  }
  return issues;
}

/** The tool's parser reads no TSX: what components of the console import is read plainly, by the same rule. */
function componentIssues(root: string): string[] {
  const components = globSync('console/src/**/*.tsx', { cwd: root }).sort();
  return components.flatMap((file) =>
    importsIn(readFileSync(join(root, file), 'utf8'))
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(dirname(file), name)))
      .flatMap((target) => {
        if (!existsSync(join(root, target))) return [`resolvable: ${file} → ${target}.`];
        const isOwn = target.startsWith(normalize('console/src/')) || SHARED.has(normalize(target));
        return isOwn ? [] : [`console-runs-in-the-browser: ${file} → ${target}.`];
      }),
  );
}

/** Import names by a plain reading, without those of Node.js itself. */
function importsIn(text: string): string[] {
  const names = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
  return names.filter((name) => !name.startsWith('node:'));
}

if (import.meta.main) {
  const { modules, dependencies, issues } = await checkLayering(process.cwd());
  for (const issue of issues) console.error(issue);
  console.log(`${modules} modules and ${dependencies} dependencies seen, ${issues.length} errors`);
  process.exitCode = issues.length > 0 ? 1 : 0;
}
