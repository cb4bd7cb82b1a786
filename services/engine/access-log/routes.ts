// GET /api/v1/access-log and its export (decision L4, docs/reference/access-log.md).
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Clock } from '#lib/clock.ts';
import { chooseLanguage, type Markup, sendPage } from '#lib/html/html.ts';
import { other } from '#lib/html/layout.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { linkToNext, momentOf, positionOf, writeCursor } from '#lib/http/response/time-position.ts';
import { actorOf } from '../shared/actor.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { csvHead, csvRows, logPage, tableRows } from './log-page.ts';
import { ExportQuery, LogPage, LogQuery, type LogRow } from './schema.ts';
import type { AccessLogReader, LogQuestion, WholeLog } from './service.ts';

/** Rows of one export; a page of more than this is slow in browsers. */
const MAX_ROWS = { html: 5_000, csv: 100_000 } as const;

export interface AccessLogRoutes {
  readonly reader: AccessLogReader;
  readonly clock: Clock;
  /** Of the times on the page. */
  readonly timeZone: string;
}

export function registerAccessLog(app: HttpApp, options: AccessLogRoutes): void {
  const { reader } = options;
  const routes = apiRoutes(app, { tags: ['audit'], permission: 'access-log:read' });
  routes.get(
    `${BASE_PATH}/access-log`,
    'Who has read or changed a patient’s data, newest first',
    { schema: { querystring: LogQuery, response: { 200: LogPage } } },
    async (request, reply) => {
      const question = questionOf(request.query, request);
      const before = positionOf(request.query.cursor);
      const limit = request.query.per_page;
      const { rows, next } = await reader.page(actorOf(request), question, { before, limit });
      const cursor = next === null ? null : writeCursor(next);
      if (cursor !== null) reply.header('link', linkToNext(request.url, cursor));
      reply.headers({ 'cache-control': 'private, no-store', 'content-language': question.language });
      return { data: rows, per_page: limit, next_cursor: cursor };
    },
  );
  routes.get(
    `${BASE_PATH}/access-log/export`,
    'The access log as a page to print, or as CSV',
    {
      config: { errors: ['unprocessable'] },
      schema: {
        querystring: ExportQuery,
        response: {
          200: { content: { 'text/html': { schema: Type.String() }, 'text/csv': { schema: Type.String() } } },
        },
      },
    },
    async (request, reply) => {
      const { format } = request.query;
      const question = questionOf(request.query, request);
      const log = await reader.all(actorOf(request), question, MAX_ROWS[format]);
      reply.header('content-language', question.language);
      return format === 'csv'
        ? sendCsv(reply, log, question)
        : sendDocument(request, reply, { log, question, options });
    },
  );
}

function sendCsv(reply: FastifyReply, log: WholeLog, { language }: LogQuestion): FastifyReply {
  reply.headers({
    'cache-control': 'private, no-store',
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="access-log.csv"',
  });
  return reply.send(Readable.from(csvOf(log.rows, language)));
}

async function* csvOf(pieces: AsyncIterable<LogRow[]>, language: LogQuestion['language']): AsyncGenerator<string> {
  yield csvHead(language);
  for await (const rows of pieces) yield csvRows(rows, language);
}

interface DocumentInput {
  readonly log: WholeLog;
  readonly question: LogQuestion;
  readonly options: AccessLogRoutes;
}

async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, question, options }: DocumentInput,
): Promise<FastifyReply> {
  const { language, since, until } = question;
  const { patient, hidesNames } = log;
  const madeAt = new Date(options.clock.now());
  const otherLanguage = inOther(request.url, language);
  const document = { language, timeZone: options.timeZone, patient, hidesNames, since, until, madeAt, otherLanguage };
  const pieces: Markup[] = [];
  let count = 0;
  for await (const rows of log.rows) {
    pieces.push(tableRows(rows, document));
    count += rows.length;
  }
  return sendPage(reply, logPage(document, pieces, count));
}

function inOther(url: string, language: LogQuestion['language']): string {
  const parameters = new URLSearchParams(url.split('?', 2)[1] ?? '');
  parameters.set('lang', other(language));
  return `?${parameters}`;
}

type Filter = Pick<Static<typeof LogQuery>, 'patient' | 'since' | 'until' | 'unit' | 'person' | 'lang'>;

/** @throws ServiceError `validation_error` */
function questionOf({ patient, since, until, unit, person, lang }: Filter, request: FastifyRequest): LogQuestion {
  return {
    patient,
    since: momentOf(since, 'since'),
    until: momentOf(until, 'until'),
    unit,
    person,
    language: chooseLanguage(lang, request.headers['accept-language']),
  };
}

/** @throws ServiceError `validation_error` */
