-- The trace of the request that queued a webhook, as `traceparent` and `tracestate` (w3.org/TR/trace-context). It is
-- passed on to the receiver. Null where nobody records the request.
ALTER TABLE delivery ADD COLUMN trace text CONSTRAINT delivery_trace_check CHECK (length(trace) <= 600);
