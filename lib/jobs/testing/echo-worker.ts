// A thread for tests of ../worker-pool.ts.
import { ServiceError } from '../../errors.ts';
import { serveWork } from '../serve-work.ts';

serveWork((given, ask) => {
  function* work(kind: string): Generator<unknown, unknown, void> {
    if (kind === 'refuse') throw new ServiceError('conflict', 'No', { issues: [{ message: 'No', field: 'here' }] });
    if (kind === 'fail') throw new Error('broken');
    while (kind === 'endless') Math.random();
    const held: unknown[] = [];
    while (kind === 'greedy') held.push(Array(1_000).fill(held.length));
    yield given;
    yield ask('one');
    yield ask('two');
    return 'end';
  }
  return (message) => work((message as { kind: string }).kind);
});
