// What can be said of a Containerfile without a builder.

interface Stage {
  readonly base: string;
  readonly instructions: readonly (readonly [keyword: string, rest: string])[];
}

const WORDS_OF_SECRETS = /(?:PASSWORD|SECRET|TOKEN|_KEY)\w*\s*=/i;

/** Instructions, with continued lines joined and comments dropped. */
function instructionsOf(text: string): [keyword: string, rest: string][] {
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n\s*/g, '');
  return lines.split('\n').flatMap((line): [string, string][] => {
    const [, keyword, rest = ''] = /^\s*([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
    return keyword === undefined ? [] : [[keyword.toUpperCase(), rest.trim()]];
  });
}

/** The images that arguments before the first stage name, by `${NAME}`; and the stages. */
function parse(text: string) {
  const images = new Map<string, string>();
  const stages: { base: string; name: string | undefined; instructions: [string, string][] }[] = [];
  for (const [keyword, rest] of instructionsOf(text)) {
    if (keyword === 'FROM') {
      const [, base = '', name] = /^(\S+)(?:\s+AS\s+(\S+))?/i.exec(rest) ?? [];
      stages.push({ base, name, instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage !== undefined) stage.instructions.push([keyword, rest]);
    else if (keyword === 'ARG') images.set(`\${${rest.split('=')[0]}}`, rest.split('=')[1] ?? '');
  }
  return { images, stages };
}

/** The last stage with those that it is built on, the first first. */
function shipped(stages: ReturnType<typeof parse>['stages']): Stage['instructions'] {
  const chain: [string, string][][] = [];
  for (let stage = stages.at(-1); stage !== undefined; ) {
    chain.unshift(stage.instructions);
    const { base } = stage;
    stage = stages.slice(0, stages.indexOf(stage)).findLast(({ name }) => name === base);
  }
  return chain.flat();
}

function basesWithoutTag({ images, stages }: ReturnType<typeof parse>): string[] {
  const names = new Set(stages.map(({ name }) => name));
  return stages.flatMap(({ base }) => {
    if (names.has(base) || base === 'scratch') return [];
    const image = images.get(base);
    if (image === undefined)
      return [`FROM ${base}: an ARG before the first stage must name it, so that it can be another`];
    return /:[\w.-]+(?:@sha256:\w+)?$/.test(image) && !image.endsWith(':latest')
      ? []
      : [`${base}: ${image} has no tag`];
  });
}

/**
 * What keeps the image from running as a number other than 0, on any base, without a shell; what would be in it that
 * must not; and bases that cannot be chosen. Empty when all is well.
 */
export function faultsOf(text: string): string[] {
  const parsed = parse(text);
  const last = shipped(parsed.stages);
  const faults = basesWithoutTag(parsed);
  if (parsed.stages.length < 2) faults.push('one stage alone: what builds the image would be in it');
  const user = last.findLast(([keyword]) => keyword === 'USER')?.[1];
  if (user === undefined || !/^[1-9]\d*(?::[1-9]\d*)?$/.test(user))
    faults.push(`USER ${user ?? ''}: not a number above 0`);
  for (const [keyword, rest] of last) {
    if (keyword === 'RUN' || keyword === 'SHELL') faults.push(`${keyword} in the last stage needs a shell: ${rest}`);
    const command = keyword === 'HEALTHCHECK' ? rest.replace(/^.*?\bCMD\s+/, '') : rest;
    if (['ENTRYPOINT', 'CMD', 'HEALTHCHECK'].includes(keyword) && !command.startsWith('['))
      faults.push(`${keyword} is run by a shell: ${rest}`);
  }
  for (const keyword of ['ENTRYPOINT', 'HEALTHCHECK'])
    if (!last.some(([name]) => name === keyword)) faults.push(`there is no ${keyword}`);
  for (const [keyword, rest] of instructionsOf(text)) {
    if (keyword === 'ADD') faults.push(`ADD ${rest}: COPY takes only what is here`);
    if (['ARG', 'ENV'].includes(keyword) && WORDS_OF_SECRETS.test(rest))
      faults.push(`${keyword} keeps a secret: ${rest}`);
  }
  return faults;
}
