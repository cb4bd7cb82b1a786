// GET /api/admin/export-users and POST /api/admin/import-users (contract: identity, Admin; decision I13).
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { type Actor, actorOf } from '../actor.ts';
import { closed } from '../shared/routes/schema.ts';
import { sendLongResponse } from './long-response.ts';
import type { Requester, RowIssue, UserCsv } from './service.ts';
import { MAX_BODY_BYTES, MULTIPART_OPTIONS, receiveFile } from './upload.ts';

const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const ImportQuery = Type.Object(
  {
    dry_run: Flag('Only say what would happen'),
    create_missing: Flag('Make organisations and groups that do not exist'),
    details: Flag('Name the lines that are skipped'),
  },
  closed,
);
const ImportBody = Type.Object({ file: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) }, closed);
const Imported = Type.Object(
  {
    created: Type.Integer(),
    skipped: Type.Integer({ description: 'Rows whose e-mail address has an account' }),
    errors: Type.Array(Type.Object({ line: Type.Integer(), email: Type.String(), message: Type.String() })),
    skipped_lines: Type.Optional(Type.Array(Type.Integer(), { description: 'With details; the first 100,000' })),
    organisations_created: Type.Optional(Type.Integer({ description: 'With create_missing' })),
    groups_created: Type.Optional(Type.Integer({ description: 'With create_missing' })),
  },
  { title: 'UserImport' },
);

/** A file of 20 MiB could have millions of errors; a list of more than these helps nobody. */
const MAX_ERRORS = 100_000;

export async function registerUserCsvRoutes(app: HttpApp, users: UserCsv): Promise<void> {
  registerExport(app, users);
  // This scope parses multipart bodies and no others.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart, MULTIPART_OPTIONS);
    registerImport(scope.withTypeProvider<TypeBoxTypeProvider>(), users);
  });
}

function registerExport(app: HttpApp, users: UserCsv): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.get(
    '/api/admin/export-users',
    'All users as CSV',
    { schema: { response: { 200: { content: { 'text/csv': { schema: Type.Unsafe<unknown>(Type.String()) } } } } } },
    async (request, reply) => {
      const { decidedBy: _, ...requester } = requesterOf(actorOf(request));
      const pieces = users.exportAll(requester);
      // The first chunk is read before the status is sent, so that a failure gets an error response.
      const first = await pieces.next();
      reply.header('content-type', 'text/csv; charset=utf-8');
      reply.header('content-disposition', 'attachment; filename="users.csv"');
      return reply.send(Readable.from(texts(first, pieces)));
    },
  );
}

function registerImport(app: HttpApp, users: UserCsv): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.post(
    '/api/admin/import-users',
    'Import users from a CSV file; who exists is skipped',
    {
      config: { errors: ['conflict'] },
      bodyLimit: MAX_BODY_BYTES,
      // The body is validated as it streams in.
      validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : compilerOf(app)(part)),
      schema: {
        consumes: ['multipart/form-data'],
        querystring: ImportQuery,
        body: ImportBody,
        response: { 200: Imported },
      },
    },
    async (request, reply) => {
      users.requireReady();
      const file = await receiveFile(request);
      const {
        dry_run: isDryRun = false,
        create_missing: mayCreate = false,
        details: isDetailed = false,
      } = request.query;
      const options = { isDryRun, mayCreate, isDetailed, signal: untilGone(reply) };
      return sendLongResponse(reply, importFile(users, requesterOf(actorOf(request)), file, options));
    },
  );
}

/** Imports and closes the file. */
async function importFile(
  users: UserCsv,
  requester: Requester,
  file: FileHandle,
  { isDetailed, ...options }: { isDryRun: boolean; mayCreate: boolean; isDetailed: boolean; signal: AbortSignal },
): Promise<Static<typeof Imported>> {
  const errors = createErrorList();
  const skippedLines: number[] = [];
  const onSkipped = (line: number) => void (skippedLines.length < MAX_ERRORS && skippedLines.push(line));
  try {
    const report = await users.importFile(requester, file, { ...options, onIssue: errors.add, onSkipped });
    const { created, skipped, organisationsMade: organisations_created, groupsMade: groups_created } = report;
    const made = options.mayCreate ? { organisations_created, groups_created } : {};
    const details = isDetailed ? { skipped_lines: skippedLines } : {};
    return { created, skipped, errors: errors.all(), ...details, ...made };
  } finally {
    await file.close();
  }
}

function compilerOf({ validatorCompiler }: HttpApp): NonNullable<HttpApp['validatorCompiler']> {
  if (validatorCompiler === undefined) throw new Error('The application has no validator');
  return validatorCompiler;
}

type Pieces = ReturnType<UserCsv['exportAll']>;

async function* texts(first: Awaited<ReturnType<Pieces['next']>>, rest: Pieces): AsyncGenerator<string> {
  if (first.done !== true) yield first.value.text;
  for await (const { text } of rest) yield text;
}

/** The importing SU admin approves the imported memberships. */
function requesterOf({ principal, ...origin }: Actor): Requester {
  return { principal, decidedBy: principal.id, ...origin };
}

function createErrorList() {
  const errors: Static<typeof Imported>['errors'] = [];
  let more = 0;
  return {
    add(issue: RowIssue): void {
      if (errors.length < MAX_ERRORS) errors.push({ ...issue });
      else more += 1;
    },
    all() {
      const [last] = errors.slice(-1);
      if (more === 0 || last === undefined) return errors;
      return [...errors, { line: last.line, email: '', message: `and ${more} more from here on` }];
    },
  };
}

/** Aborts when the client has closed the connection. */
function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
