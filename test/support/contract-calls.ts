// What the contract tests of each service expect of an answer: its status and its exact shape (decisions G2, G5).
import assert from 'node:assert/strict';
import { assertShape, type Shape } from './shape.ts';

interface ContractAnswer {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

export interface ContractCalls<Call, Answer extends ContractAnswer> {
  /**
   * Sends the request and checks the status and the exact shape. An undefined shape stands for an empty body.
   */
  expect(address: string, call: Call, status: number, shape?: Shape): Promise<Answer>;
  /** As `expect`, for an error: exactly its two fields, or three with `messages`. */
  refuse(address: string, call: Call, status: number, code: string): Promise<Answer>;
  /** A page of a list: its fields, and one shape for every item. */
  expectPage(address: string, call: Call, item: Shape): Promise<Answer>;
}

/** `ask` sends `METHOD /path`. */
export function contractCalls<Call, Answer extends ContractAnswer>(
  ask: (address: string, call: Call) => Promise<Answer>,
): ContractCalls<Call, Answer> {
  const expect: ContractCalls<Call, Answer>['expect'] = async (address, call, status, shape) => {
    const answer = await ask(address, call);
    assert.equal(answer.status, status, `${address}: ${answer.text}`);
    if (shape === undefined) assert.equal(answer.text, '', address);
    else assertShape(answer.body, shape, address);
    return answer;
  };
  return {
    expect,
    refuse(address, call, status, code) {
      const messages = code === 'validation_error' ? { messages: [/./] } : {};
      return expect(address, call, status, { error: code, message: /./, ...messages });
    },
    expectPage: (address, call, item) =>
      expect(address, call, 200, { data: [item], page: Number, per_page: Number, total: Number }),
  };
}
