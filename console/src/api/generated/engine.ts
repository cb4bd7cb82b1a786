// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/
export interface paths {
    "/api/v1/access-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postAccessChecks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/access-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAccessLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getActivities"];
        put?: never;
        post: operations["postActivities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getApiKeys"];
        put?: never;
        post: operations["postApiKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys/{key_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getApiKeysByKeyGuid"];
        put: operations["putApiKeysByKeyGuid"];
        post?: never;
        delete: operations["deleteApiKeysByKeyGuid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys/{key_guid}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postApiKeysRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/api-keys/{key_guid}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getApiKeysUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBulkJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/canonical-libs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCanonicalLibs"];
        put?: never;
        post: operations["postCanonicalLibs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/concepts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getConcepts"];
        put?: never;
        post: operations["postConcepts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contracts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getContracts"];
        put?: never;
        post: operations["postContracts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/contracts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getContractsById"];
        put: operations["putContractsById"];
        post?: never;
        delete: operations["deleteContractsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/goals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGoals"];
        put?: never;
        post: operations["postGoals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-tasks/{receipt_token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProviderTasksByReceiptToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-tasks/{receipt_token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postProviderTasksAccept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-tasks/{receipt_token}/careplan-details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProviderTasksCareplanDetails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-tasks/{receipt_token}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postProviderTasksReject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-tasks/{receipt_token}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postProviderTasksReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-tasks/{receipt_token}/take-over": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postProviderTasksTakeOver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-tasks/my": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProviderTasksMy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider-tasks/my/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProviderTasksMyCounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProviders"];
        put?: never;
        post: operations["postProviders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProvidersById"];
        put: operations["putProvidersById"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/response-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getResponseTypes"];
        put?: never;
        post: operations["postResponseTypes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServers"];
        put?: never;
        post: operations["postServers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServersStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/servers/test-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getServersTestAll"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/synchronize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSynchronize"];
        put?: never;
        post: operations["postSynchronize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/synchronize/{job_guid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSynchronizeByJobGuid"];
        put?: never;
        post?: never;
        delete: operations["deleteSynchronizeByJobGuid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/synchronize/{job_guid}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postSynchronizeResume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/synchronize/{job_guid}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postSynchronizeStop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["putTransactionsById"];
        post?: never;
        delete: operations["deleteTransactionsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/units": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUnits"];
        put?: never;
        post: operations["postUnits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessCheck: {
            acts: components["schemas"]["DecidedAct"][];
            caller: {
                acting_for?: string;
                guid: string;
                /** @enum {unknown} */
                kind: "user" | "api_key" | "provider";
                organisation_guids: string[];
                phases: string[];
                provider_guids: string[];
                roles: string[];
                scopes: string[];
            };
            id: string;
            organisation_guid: string | null;
            resource_type: string;
        };
        AccessCheckCaller: {
            acting_for?: string;
            guid: string;
            /** @enum {unknown} */
            kind: "user" | "api_key" | "provider";
        };
        AccessCheckInput: {
            caller: components["schemas"]["AccessCheckCaller"];
            id: string;
            resource_type: string;
        };
        AccessLogEntry: {
            /** @enum {unknown} */
            action: "create" | "read" | "update" | "delete" | "execute";
            at: string;
            event_guid: string;
            /** @enum {unknown} */
            outcome: "success" | "refused";
            what: string;
            who: {
                for?: string;
                name: string | null;
                role: string;
                unit: string | null;
            };
            why: ("plan" | "request") | null;
        };
        AccessLogPage: {
            data: components["schemas"]["AccessLogEntry"][];
            next_cursor: string | null;
            per_page: number;
        };
        Activity: {
            readonly activity_guid: string;
            concept: string;
            readonly concept_name: string;
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            name: string;
            /** @enum {unknown} */
            status: "draft" | "active" | "retired";
            transactions: components["schemas"]["Transaction"][];
            /** Format: date-time */
            readonly updated_at: string;
            readonly version: number;
        };
        ActivityInput: {
            concept: string;
            description?: string | null;
            name: string;
            /**
             * @default active
             * @enum {unknown}
             */
            status?: "draft" | "active" | "retired";
        };
        ActivityPage: {
            data: components["schemas"]["Activity"][];
            page: number;
            per_page: number;
            total: number;
        };
        ApiKey: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            key_guid: string;
            /** Format: date-time */
            last_used_at: string | null;
            name: string;
            organisation_guid: string | null;
            prefix: string;
            provider_guid: string | null;
            scopes: string[];
            /** @enum {unknown} */
            status: "active" | "revoked" | "expired";
            /** Format: date-time */
            readonly updated_at: string;
        };
        ApiKeyChange: {
            /** Format: date-time */
            expires_at?: string | null;
            name: string;
            scopes?: string[];
            /**
             * @default active
             * @enum {unknown}
             */
            status?: "active" | "revoked";
        };
        ApiKeyInput: {
            /** Format: date-time */
            expires_at?: string | null;
            name: string;
            organisation_guid?: string | null;
            provider_guid?: string | null;
            scopes?: string[];
        };
        ApiKeyPage: {
            data: components["schemas"]["ApiKey"][];
            page: number;
            per_page: number;
            total: number;
        };
        ApiKeyUsage: {
            by_day: {
                /** Format: date */
                day: string;
                requests: number;
            }[];
            /** Format: date-time */
            last_used_at: string | null;
            total: number;
        };
        ApiKeyWithSecret: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            key: string;
            key_guid: string;
            /** Format: date-time */
            last_used_at: string | null;
            name: string;
            organisation_guid: string | null;
            prefix: string;
            provider_guid: string | null;
            reads: string;
            scopes: string[];
            /** @enum {unknown} */
            status: "active" | "revoked" | "expired";
            /** Format: date-time */
            readonly updated_at: string;
        };
        BulkJob: {
            cancelled_by: {
                is_caller: boolean;
                name: string | null;
            } | null;
            counts: {
                [key: string]: number;
            };
            /** Format: date-time */
            created_at: string;
            fault: string | null;
            /** Format: date-time */
            finished_at: string | null;
            is_own: boolean;
            job_guid: string;
            /** @enum {unknown} */
            kind: "export" | "import";
            percent: number | null;
            /** @enum {unknown} */
            state: "receiving" | "running" | "done" | "failed" | "cancelled";
        };
        BulkJobPage: {
            data: components["schemas"]["BulkJob"][];
            page: number;
            per_page: number;
            total: number;
        };
        CanonicalLib: {
            readonly canonical_lib_guid: string;
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            name: string;
            publisher: string | null;
            readonly revision: number;
            /** Format: date-time */
            readonly updated_at: string;
            url: string;
            version: string | null;
        };
        CanonicalLibInput: {
            description?: string | null;
            name: string;
            publisher?: string | null;
            url: string;
            version?: string | null;
        };
        CanonicalLibPage: {
            data: components["schemas"]["CanonicalLib"][];
            page: number;
            per_page: number;
            total: number;
        };
        Concept: {
            canonical_lib: string;
            readonly canonical_lib_name: string;
            concept_code: string;
            concept_display_text: string | null;
            concept_explain: string | null;
            readonly concept_guid: string;
            concept_name: string;
            concept_type: string | null;
            readonly concept_type_name: string | null;
            /** Format: date-time */
            readonly created_at: string;
            readonly has_values: boolean;
            response_type: string | null;
            readonly response_type_name: string | null;
            /** Format: date-time */
            readonly updated_at: string;
            values: components["schemas"]["PermittedValue"][];
            readonly version: number;
        };
        ConceptInput: {
            canonical_lib: string;
            concept_code?: string | null;
            concept_display_text?: string | null;
            concept_explain?: string | null;
            concept_name: string;
            concept_type?: string | null;
            response_type?: string | null;
            values?: components["schemas"]["PermittedValue"][];
        };
        ConceptPage: {
            data: components["schemas"]["Concept"][];
            page: number;
            per_page: number;
            total: number;
        };
        ContractCode: {
            code: string;
            system: string;
        };
        DecidedAct: {
            act: string;
            acting_for?: string;
            allowed: boolean;
            match?: {
                match_guid: string;
                provider_guid: string;
                provider_name: string;
            };
            resource_type: string;
            rules: components["schemas"]["DecidingRule"][];
        };
        DecidingRule: {
            given: string[];
            message: string;
            needed: string[];
            permits: boolean;
            /** @enum {unknown} */
            reason: "open_to_anyone" | "credentials_missing" | "call_granted" | "call_not_granted" | "password_change_required" | "second_factor_required" | "closed_to_proxies" | "role_held" | "role_missing" | "phase_missing" | "is_proxy" | "is_guardian" | "not_a_proxy" | "proxy_not_accepted" | "proxy_declined" | "proxy_withdrawn" | "proxy_over" | "guardian_ended" | "guardian_over" | "scope_held" | "scope_missing" | "report_completed" | "report_refused" | "report_kept" | "no_organisation" | "all_records" | "no_records" | "own_organisation" | "other_organisation" | "owner_only" | "not_protected" | "protected_identity" | "own_record" | "not_own_record" | "own_report" | "not_own_report" | "record_shown" | "record_hidden" | "organisations_only" | "unprotected_only" | "own_records_only" | "state_permits" | "state_refuses" | "acts_for_provider" | "not_for_provider" | "consent_given" | "consent_implied" | "consent_denied" | "consent_missing" | "consent_unclear";
            /** @enum {unknown} */
            rule: "proxy" | "role" | "scope" | "report" | "record" | "state" | "provider" | "consent";
        };
        DirectionCounts: {
            conflicts: number;
            created: number;
            deleted: number;
            read: number;
            skipped: number;
            unchanged: number;
            updated: number;
        };
        GoalDue: {
            /** @enum {unknown} */
            unit: "min" | "h" | "d" | "wk" | "mo" | "a";
            value: number;
        };
        GoalTarget: {
            /** @enum {unknown} */
            comparator?: "<" | "<=" | "=" | ">=" | ">";
            high?: number;
            low?: number;
            unit?: string | null;
            value?: number;
        };
        Health: {
            checks: {
                database: {
                    latency_ms: number | null;
                    /** @enum {unknown} */
                    status: "ok" | "degraded" | "down";
                };
                disk: {
                    free_bytes: number | null;
                    /** @enum {unknown} */
                    status: "ok" | "degraded" | "down";
                    total_bytes: number | null;
                };
                queue: {
                    oldest_s: number | null;
                    /** @enum {unknown} */
                    status: "ok" | "degraded" | "down";
                    waiting: number | null;
                };
                servers: {
                    down: number;
                    /** @enum {unknown} */
                    status: "ok" | "degraded" | "down";
                    total: number;
                    unknown: number;
                };
            };
            /** @enum {unknown} */
            status: "ok" | "degraded" | "down";
            uptime_s: number;
            version: string;
        };
        JobCount: {
            count: number;
            kind: string;
            state: string;
        };
        LibraryGoal: {
            activities: string[];
            concept: string;
            readonly concept_name: string;
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            due: {
                [key: string]: unknown;
            } | null;
            readonly goal_guid: string;
            name: string;
            target: ({
                readonly unit_name?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** Format: date-time */
            readonly updated_at: string;
            readonly version: number;
        };
        LibraryGoalInput: {
            activities?: string[];
            concept: string;
            description?: string | null;
            due?: components["schemas"]["GoalDue"] | null;
            name: string;
            target?: components["schemas"]["GoalTarget"] | null;
        };
        LibraryGoalPage: {
            data: components["schemas"]["LibraryGoal"][];
            page: number;
            per_page: number;
            total: number;
        };
        OwnTaskCounts: {
            accepted: number;
            completed: number;
            in_progress: number;
            received: number;
            rejected: number;
            withdrawn: number;
        };
        PermittedValue: {
            code: string;
            display: string;
        };
        Problem: {
            /** @enum {string} */
            error: "invalid_request" | "validation_error" | "invalid_redirect" | "unauthorized" | "authentication_failed" | "forbidden" | "invalid_service_credentials" | "password_change_required" | "second_factor_required" | "consent_required" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "already_taken" | "expired" | "deleted" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "precondition_required" | "rate_limited" | "internal_error" | "upstream_error" | "unavailable" | "upstream_unavailable";
            message: string;
            messages?: string[];
        };
        Provider: {
            /** Format: date-time */
            readonly created_at: string;
            name: string;
            organisation_guid: string | null;
            readonly provider_guid: string;
            region: string;
            /** @enum {unknown} */
            status: "active" | "inactive";
            /** Format: date-time */
            readonly updated_at: string;
        };
        ProviderContract: {
            codes: components["schemas"]["ContractCode"][];
            readonly contract_guid: string;
            /** Format: date-time */
            readonly created_at: string;
            organisation_guid: string | null;
            provider_guid: string;
            readonly provider_name: string;
            region: string | null;
            /** @enum {unknown} */
            status: "active" | "inactive";
            /** Format: date-time */
            readonly updated_at: string;
            /** Format: date */
            valid_from: string;
            valid_to: string | null;
        };
        ProviderContractInput: {
            codes: components["schemas"]["ContractCode"][];
            organisation_guid?: string | null;
            provider_guid: string;
            region?: string | null;
            /**
             * @default active
             * @enum {unknown}
             */
            status?: "active" | "inactive";
            /** Format: date */
            valid_from: string;
            /** Format: date */
            valid_to?: string | null;
        };
        ProviderContractPage: {
            data: components["schemas"]["ProviderContract"][];
            page: number;
            per_page: number;
            total: number;
        };
        ProviderInput: {
            name: string;
            organisation_guid?: string | null;
            region: string;
            /**
             * @default active
             * @enum {unknown}
             */
            status?: "active" | "inactive";
        };
        ProviderPage: {
            data: components["schemas"]["Provider"][];
            page: number;
            per_page: number;
            total: number;
        };
        ProviderTask: {
            accepted_by?: components["schemas"]["TaskPerson"];
            /** Format: date-time */
            due: string | null;
            patient: components["schemas"]["TaskPatient"] | null;
            pending_decision: string | null;
            problem?: {
                /** @enum {string} */
                error: "unavailable";
                message: string;
            };
            provider_guid: string;
            reason: string | null;
            receipt_token: string | null;
            /** Format: date-time */
            received_at: string;
            reported_by?: components["schemas"]["TaskPerson"];
            request_guid: string;
            requester: components["schemas"]["TaskRequester"] | null;
            responsible?: components["schemas"]["TaskPerson"];
            /** @enum {unknown} */
            status: "received" | "accepted" | "in_progress" | "completed" | "rejected" | "withdrawn";
            title: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        ProviderTaskPage: {
            data: components["schemas"]["ProviderTask"][];
            page: number;
            per_page: number;
            total: number;
        };
        RequestFigures: {
            errors: number;
            routes: components["schemas"]["RouteFigures"][];
            total: number;
        };
        ResponseType: {
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            /** @enum {unknown} */
            fhir_type: "Quantity" | "CodeableConcept" | "string" | "boolean" | "integer" | "Range" | "Ratio" | "SampledData" | "time" | "dateTime" | "Period";
            name: string;
            readonly response_type_guid: string;
            readonly revision: number;
            /** Format: date-time */
            readonly updated_at: string;
        };
        ResponseTypeInput: {
            description?: string | null;
            /** @enum {unknown} */
            fhir_type: "Quantity" | "CodeableConcept" | "string" | "boolean" | "integer" | "Range" | "Ratio" | "SampledData" | "time" | "dateTime" | "Period";
            name: string;
        };
        ResponseTypePage: {
            data: components["schemas"]["ResponseType"][];
            page: number;
            per_page: number;
            total: number;
        };
        RouteFigures: {
            count: number;
            errors: number;
            mean_ms: number;
            method: string;
            p50_ms: number;
            p95_ms: number;
            p99_ms: number;
            route: string;
        };
        Server: {
            auth: {
                client_id?: string;
                scope?: string;
                token_url?: string;
                /** @enum {unknown} */
                type: "none" | "basic" | "bearer" | "client_credentials";
                username?: string;
            };
            /** Format: date-time */
            readonly created_at: string | null;
            /** @enum {unknown} */
            kind: "fhir" | "terminology";
            name: string;
            /** @enum {unknown} */
            readonly source: "api" | "file";
            timeout_ms: number;
            /** Format: date-time */
            readonly updated_at: string | null;
            url: string;
        };
        ServerAuthInput: {
            client_id?: string;
            client_secret?: string;
            password?: string;
            scope?: string;
            token?: string;
            token_url?: string;
            /** @enum {unknown} */
            type: "none" | "basic" | "bearer" | "client_credentials";
            username?: string;
        };
        ServerInput: {
            auth?: components["schemas"]["ServerAuthInput"];
            /**
             * @default fhir
             * @enum {unknown}
             */
            kind?: "fhir" | "terminology";
            name: string;
            /** @default 10000 */
            timeout_ms?: number;
            url: string;
        };
        ServerPage: {
            data: components["schemas"]["Server"][];
            page: number;
            per_page: number;
            total: number;
        };
        ServerStatus: {
            /** @enum {unknown} */
            circuit: "closed" | "open" | "half_open";
            /** @enum {unknown} */
            kind: "fhir" | "terminology";
            last_failure: string | null;
            /** Format: date-time */
            last_failure_at: string | null;
            /** Format: date-time */
            last_success_at: string | null;
            latency_ms: number | null;
            name: string;
            /** @enum {unknown} */
            status: "up" | "down" | "unknown";
            url: string;
        };
        ServerTest: {
            error: {
                message: string;
                reason: string;
            } | null;
            fhir_version: string | null;
            /** @enum {unknown} */
            kind: "fhir" | "terminology";
            latency_ms: number | null;
            name: string | null;
            reachable: boolean;
            resource_types: number | null;
            software: string | null;
            url: string;
        };
        ServiceMetrics: {
            caches: {
                cache: string;
                hit_rate: number | null;
                hits: number;
                misses: number;
            }[];
            jobs: components["schemas"]["JobCount"][];
            process: {
                cpu_s: number;
                memory_bytes: number;
                uptime_s: number;
            };
            requests: components["schemas"]["RequestFigures"];
            resources: {
                [key: string]: number;
            };
        };
        Setting: {
            default: string | null;
            is_secret: boolean;
            is_set: boolean;
            meaning: string;
            name: string;
            section: string;
            /** @enum {unknown} */
            source: "environment" | "env_file" | "secret_file" | "default" | "unset";
            type: string;
            value: string | null;
            when_unset: string | null;
        };
        Settings: {
            reference: string;
            settings: components["schemas"]["Setting"][];
        };
        SyncConflict: {
            id: string;
            /** @enum {unknown} */
            kind: "both_changed" | "different" | "deleted_here" | "deleted_there" | "refused_here" | "refused_there" | "failed_there" | "unreadable";
            message: string;
            resource_type: string;
        };
        SyncCounts: {
            pull: components["schemas"]["DirectionCounts"];
            push: components["schemas"]["DirectionCounts"];
        };
        SyncJob: {
            conflict_count: number;
            counts: components["schemas"]["SyncCounts"];
            /** Format: date-time */
            created_at: string;
            /** @enum {unknown} */
            direction: "pull" | "push" | "both";
            dry_run: boolean;
            failures: number;
            fault: string | null;
            /** Format: date-time */
            finished_at: string | null;
            job_guid: string;
            progress: components["schemas"]["SyncProgress"];
            resource_types: string[];
            server: string;
            /** Format: date-time */
            since: string | null;
            /** @enum {unknown} */
            state: "running" | "stopped" | "done" | "failed";
            /** Format: date-time */
            updated_at: string;
        };
        SyncJobDetails: {
            conflict_count: number;
            conflicts: components["schemas"]["SyncConflict"][];
            counts: components["schemas"]["SyncCounts"];
            /** Format: date-time */
            created_at: string;
            /** @enum {unknown} */
            direction: "pull" | "push" | "both";
            dry_run: boolean;
            failures: number;
            fault: string | null;
            /** Format: date-time */
            finished_at: string | null;
            job_guid: string;
            progress: components["schemas"]["SyncProgress"];
            resource_types: string[];
            server: string;
            /** Format: date-time */
            since: string | null;
            /** @enum {unknown} */
            state: "running" | "stopped" | "done" | "failed";
            /** Format: date-time */
            updated_at: string;
        };
        SyncJobInput: {
            /** @enum {unknown} */
            direction: "pull" | "push" | "both";
            /** @default false */
            dry_run?: boolean;
            resource_types: string[];
            server: string;
            /** Format: date-time */
            since?: string | null;
        };
        SyncJobPage: {
            data: components["schemas"]["SyncJob"][];
            page: number;
            per_page: number;
            total: number;
        };
        SyncProgress: {
            /** @enum {string|null} */
            phase: "pull" | "push" | null;
            resource_type: string | null;
            seen: number;
            total: number | null;
            types_done: number;
            types_total: number;
        };
        SystemStatus: {
            counts: {
                [key: string]: number;
            };
            jobs: components["schemas"]["JobCount"][];
            node: {
                host: string;
                pid: number;
                platform: string;
                runtime: string;
            };
            servers: components["schemas"]["ServerStatus"][];
            /** Format: date-time */
            started_at: string;
            version: string;
        };
        TaskPatient: {
            birth_date?: string | null;
            gender?: string | null;
            name: string | null;
            patient_guid?: string;
        };
        TaskPerson: {
            name: string | null;
            user_guid: string;
        };
        TaskReport: {
            observations: {
                reference: string;
            }[];
            questionnaire_responses: {
                reference: string;
            }[];
            task: components["schemas"]["ProviderTask"];
        };
        TaskReportInput: {
            note?: string;
            observations?: {
                [key: string]: unknown;
            }[];
            questionnaire_responses?: {
                [key: string]: unknown;
            }[];
            /** @enum {unknown} */
            status: "partial" | "final";
        };
        TaskRequester: {
            contacts: {
                system?: string;
                value: string;
            }[];
            person: string | null;
            unit: string | null;
        };
        TimingRepeat: {
            count?: number;
            countMax?: number;
            dayOfWeek?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            duration?: number;
            durationMax?: number;
            /** @enum {unknown} */
            durationUnit?: "s" | "min" | "h" | "d" | "wk" | "mo" | "a";
            frequency?: number;
            frequencyMax?: number;
            offset?: number;
            period?: number;
            periodMax?: number;
            /** @enum {unknown} */
            periodUnit?: "s" | "min" | "h" | "d" | "wk" | "mo" | "a";
            timeOfDay?: string[];
            when?: string[];
        };
        Transaction: {
            readonly activity_guid: string;
            concept: string;
            readonly concept_name: string;
            /** Format: date-time */
            readonly created_at: string;
            name: string;
            position: number;
            required: boolean;
            response_type: string | null;
            readonly response_type_name: string | null;
            timing: {
                [key: string]: unknown;
            } | null;
            readonly transaction_guid: string;
            unit: string | null;
            readonly unit_name: string | null;
            /** Format: date-time */
            readonly updated_at: string;
            readonly version: number;
        };
        TransactionInput: {
            concept: string;
            name: string;
            position?: number;
            /** @default false */
            required?: boolean;
            response_type?: string | null;
            timing?: components["schemas"]["TimingRepeat"] | null;
            unit?: string | null;
        };
        Unit: {
            /** Format: date-time */
            readonly created_at: string;
            description: string | null;
            name: string;
            readonly revision: number;
            ucum_code: string;
            readonly unit_guid: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        UnitInput: {
            description?: string | null;
            name: string;
            ucum_code: string;
        };
        UnitPage: {
            data: components["schemas"]["Unit"][];
            page: number;
            per_page: number;
            total: number;
        };
    };
    responses: {
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        KedjaOrganisation: string;
        KedjaPatient: string;
    };
    requestBodies: never;
    headers: {
        "Kedja-Position": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAccessChecks: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessCheckInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessCheck"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            503: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getAccessLog: {
        parameters: {
            query?: {
                cursor?: string;
                lang?: "sv" | "en";
                patient?: string;
                per_page?: number;
                person?: string;
                since?: string;
                unit?: string;
                until?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessLogPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getActivities: {
        parameters: {
            query?: {
                concept?: string;
                page?: number;
                per_page?: number;
                search?: string;
                status?: "draft" | "active" | "retired";
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postActivities: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActivityInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activity"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getApiKeys: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                provider_guid?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postApiKeys: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getApiKeysByKeyGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                key_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    putApiKeysByKeyGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                key_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteApiKeysByKeyGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                key_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postApiKeysRotate: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                key_guid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default 0 */
                    grace_hours?: number;
                } | null;
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getApiKeysUsage: {
        parameters: {
            query?: {
                days?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                key_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyUsage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getBulkJobs: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkJobPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getCanonicalLibs: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                search?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CanonicalLibPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postCanonicalLibs: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CanonicalLibInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CanonicalLib"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getConcepts: {
        parameters: {
            query?: {
                canonical_lib?: string;
                concept_type?: string;
                has_values?: boolean;
                page?: number;
                per_page?: number;
                response_type?: string;
                search?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConceptPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postConcepts: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConceptInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Concept"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getContracts: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                provider_guid?: string;
                status?: "active" | "inactive";
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderContractPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postContracts: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderContractInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderContract"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getContractsById: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderContract"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    putContractsById: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderContractInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderContract"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteContractsById: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getGoals: {
        parameters: {
            query?: {
                activity?: string;
                page?: number;
                per_page?: number;
                search?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryGoalPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postGoals: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LibraryGoalInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryGoal"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceMetrics"];
                    "text/plain": string;
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProviderTasksByReceiptToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                receipt_token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTask"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postProviderTasksAccept: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                receipt_token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTask"];
                };
            };
            202: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTask"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProviderTasksCareplanDetails: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                receipt_token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        care_plan: ({
                            /** @enum {string} */
                            resourceType: "CarePlan";
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        forms: {
                            [key: string]: unknown;
                        }[];
                        measures: {
                            codes: {
                                [key: string]: {
                                    [key: string]: unknown;
                                };
                            };
                            form: {
                                [key: string]: unknown;
                            };
                        } | null;
                        patient: ({
                            /** @enum {string} */
                            resourceType: "Patient";
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        plan: ({
                            activities: {
                                [key: string]: unknown;
                            }[];
                            goals: {
                                [key: string]: unknown;
                            }[];
                            transactions: {
                                [key: string]: unknown;
                            }[];
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        plan_definition: ({
                            /** @enum {string} */
                            resourceType: "PlanDefinition";
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        questionnaires: ({
                            /** @enum {string} */
                            resourceType: "Questionnaire";
                        } & {
                            [key: string]: unknown;
                        })[];
                        request_guid: string;
                        requester: components["schemas"]["TaskRequester"];
                        service_request: {
                            /** @enum {string} */
                            resourceType: "ServiceRequest";
                        } & {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        status: "received" | "accepted" | "in_progress" | "completed" | "rejected" | "withdrawn";
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postProviderTasksReject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                receipt_token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string;
                } | null;
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTask"];
                };
            };
            202: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTask"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postProviderTasksReport: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                receipt_token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskReportInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskReport"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            429: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postProviderTasksTakeOver: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                receipt_token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTask"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProviderTasksMy: {
        parameters: {
            query?: {
                mine?: boolean;
                open?: boolean;
                order?: "received" | "due";
                page?: number;
                per_page?: number;
                status?: "received" | "accepted" | "in_progress" | "completed" | "rejected" | "withdrawn";
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTaskPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProviderTasksMyCounts: {
        parameters: {
            query?: {
                mine?: boolean;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnTaskCounts"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProviders: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                region?: string;
                search?: string;
                status?: "active" | "inactive";
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postProviders: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getProvidersById: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    putProvidersById: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getResponseTypes: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                search?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseTypePage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postResponseTypes: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResponseTypeInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResponseType"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getServers: {
        parameters: {
            query?: {
                kind?: "fhir" | "terminology";
                page?: number;
                per_page?: number;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postServers: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getServersStatus: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        servers: components["schemas"]["ServerStatus"][];
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getServersTestAll: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        servers: components["schemas"]["ServerTest"][];
                    };
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemStatus"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getSynchronize: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                state?: "running" | "stopped" | "done" | "failed";
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncJobPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postSynchronize: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncJobInput"];
            };
        };
        responses: {
            202: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        job_guid: string;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getSynchronizeByJobGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                job_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncJobDetails"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteSynchronizeByJobGuid: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                job_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postSynchronizeResume: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                job_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncJobDetails"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postSynchronizeStop: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                job_guid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncJobDetails"];
                };
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            409: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    putTransactionsById: {
        parameters: {
            query?: never;
            header?: {
                "if-match"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransactionInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            412: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    deleteTransactionsById: {
        parameters: {
            query?: never;
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            404: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    getUnits: {
        parameters: {
            query?: {
                page?: number;
                per_page?: number;
                search?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnitPage"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
    postUnits: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnitInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Kedja-Position": components["headers"]["Kedja-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unit"];
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            409: components["responses"]["Error"];
            413: components["responses"]["Error"];
            415: components["responses"]["Error"];
            422: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
}
