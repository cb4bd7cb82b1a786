// Serializes responses with Fastify's compiler, from the response schemas of the routes. Each schema is compiled on
// first use, so that the start does not wait for schemas that are rarely needed.
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
