// Asks the worker, one question after the other. A question that takes too long ends the worker; the next one starts
// another.
import type { Variables } from '../../../../fhir/forms/expressions/evaluator.ts';
import type { Filled } from '../filled.ts';
import type { FillableForm } from '../form.ts';
import type { FormSolution } from './form-solution.ts';
import { needsFhirPath } from './solution.ts';
import type { Question } from './worker.ts';

/** What a person notices as a wait; a form with sensible expressions takes some milliseconds. */
const LONGEST_MS = 2_000;
/** The package is half a megabyte, on a slow line. */
const LONGEST_LOAD_MS = 60_000;

interface Waiting {
  readonly question: Question;
  readonly signal: AbortSignal;
  readonly done: (result: { readonly result?: unknown } | undefined) => void;
}

let worker: Worker | undefined;
let isLoaded = false;
let isBusy = false;
let waiting: Waiting[] = [];

/** @throws Error for a form whose expressions take too long, or that is not asked for any more */
export async function solve(
  form: FillableForm,
  { filled, context }: { readonly filled: Filled; readonly context: Variables },
  signal: AbortSignal,
): Promise<FormSolution> {
  return (await ask({ kind: 'solve', form, filled, context }, signal)) as FormSolution;
}

/** Where an expression cannot be read, counted from 1; undefined for one that can. @throws Error as `solve` */
export async function unreadableAt(expression: string, signal: AbortSignal): Promise<number | undefined> {
  return (await ask({ kind: 'read', expression }, signal)) as number | undefined;
}

function ask(question: Question, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    waiting.push({
      question,
      signal,
      done: (found) =>
        found === undefined ? reject(new Error('The expressions take too long')) : resolve(found.result),
    });
    next();
  });
}

function next(): void {
  waiting = waiting.filter(({ signal, done }) => {
    if (signal.aborted) done(undefined);
    return !signal.aborted;
  });
  if (isBusy) return;
  const [first] = waiting;
  if (first === undefined) return;
  isBusy = true;
  const isLoading = !isLoaded && needsPackage(first.question);
  put(isLoading ? { kind: 'load' } : first.question, isLoading ? LONGEST_LOAD_MS : LONGEST_MS, (found) => {
    isBusy = false;
    isLoaded = found !== undefined && (isLoaded || isLoading);
    if (!isLoading || found === undefined) {
      waiting = waiting.filter((each) => each !== first);
      first.done(found);
    }
    next();
  });
}

function needsPackage(question: Question): boolean {
  return question.kind !== 'solve' || needsFhirPath(question.form);
}

function put(question: Question, mostMs: number, done: Waiting['done']): void {
  worker ??= new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const asked = worker;
  const end = (found: { readonly result?: unknown } | undefined) => {
    clearTimeout(timer);
    asked.onmessage = null;
    asked.onerror = null;
    if (found === undefined) {
      asked.terminate();
      worker = undefined;
    }
    done(found);
  };
  const timer = setTimeout(() => end(undefined), mostMs);
  asked.onmessage = ({ data }: MessageEvent<{ result?: unknown; failed?: true }>) =>
    end(data.failed === true ? undefined : data);
  asked.onerror = () => end(undefined);
  asked.postMessage(question);
}
