// Answers are written by Fastify's own compiler from the response schemas of the routes, each compiled when it is first
// needed: a start need not wait for schemas that few answers meet.
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';

type Serialize = ReturnType<FastifySerializerCompiler<unknown>>;

export function createSerializerCompiler(): FastifySerializerCompiler<unknown> {
  const compile = SerializerSelector()();
  return ({ schema, method, url, httpStatus = '' }) => {
    let serialize: Serialize | undefined;
    return (data: unknown) => {
      serialize ??= compile({ schema, method, url, httpStatus });
      return serialize(data);
    };
  };
}
