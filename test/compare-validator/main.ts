// `npm run compare:validator`: mutants of the official examples, checked by Kedja and by HL7's own validator (nightly:
// it downloads 140 MB once). KEDJA_COMPARE_MUTANTS and KEDJA_COMPARE_SEED say how many and which, KEDJA_COMPARE_FOLDER
// where libraries are kept.
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { seeded } from '#test/support/random.ts';
import { readBases } from './bases.ts';
import { agreementOf, type ComparedMutant, compare, describe } from './comparison.ts';
import { type Hl7Validator, missingTool, prepareHl7Validator, validateByHl7 } from './hl7-validator.ts';
import { type Base, type Mutant, makeMutants } from './mutations.ts';

/** Per cent of the verdicts. */
const BAR = 98.5;
/** How often the progress of the judging is reported. */
const STEP = 250;

async function compareAll(
  validator: Hl7Validator,
  what: string,
  mutants: readonly Mutant[],
): Promise<ComparedMutant[]> {
  const texts = mutants.map(({ text }) => text);
  const answers = await validateByHl7(validator, texts, (judged) => {
    if (judged % STEP === 0 || judged === texts.length) note(`${what}: ${judged} of ${texts.length} judged`);
  });
  return mutants.map((mutant, index) => ({
    mutant,
    ours: validateResource(readResourceText(mutant.text).resource),
    theirs: answers[index] ?? [],
  }));
}

function unchanged({ name, text }: Base): Mutant {
  return { base: name, family: 'none', mutation: 'nothing', place: 'nowhere', text };
}

/** Mutants are made of examples that both find valid, so that a verdict is about the mutation. */
async function run(): Promise<boolean> {
  const count = Number(process.env['KEDJA_COMPARE_MUTANTS'] ?? 1_400);
  const seed = Number(process.env['KEDJA_COMPARE_SEED'] ?? 1);
  const validator = prepareHl7Validator(process.env['KEDJA_COMPARE_FOLDER']);
  const bases = readBases();
  const examples = await compareAll(validator, 'examples', bases.map(unchanged));
  const sound = new Set(examples.filter((each) => compare([each]).valid === 1).map(({ mutant }) => mutant.base));
  const own = compare(examples);
  say(`Examples as they are: ${own.agreed} of ${own.total} verdicts agree, ${own.valid} are valid`);
  const fit = bases.filter(({ name }) => sound.has(name));
  const comparison = compare(await compareAll(validator, 'mutants', makeMutants(fit, count, seeded(seed))));
  say(`Mutants of seed ${seed}: ${describe(comparison).join('\n')}`);
  const isAbove = agreementOf(comparison) >= BAR;
  say(isAbove ? `At or above the bar of ${BAR} %` : `Below the bar of ${BAR} %`);
  return isAbove;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

const missing = missingTool();
if (missing !== undefined) say(`Skipped: ${missing}`);
else if (!(await run())) process.exitCode = 1;
