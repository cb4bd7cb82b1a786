{{/* The port of a service, as lib/config has it. */}}
{{- define "kedja.port" -}}
{{- get (dict "identity" 8081 "dispatch" 8082 "engine" 8083 "console" 8080) . -}}
{{- end -}}

{{- define "kedja.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* What the values name replaces what the chart sets: a container refuses a variable that is there twice. */}}
{{- define "kedja.environment" -}}
{{- $own := dict
  "KEDJA_PUBLIC_URL" .Values.publicUrl
  "KEDJA_ADMIN_EMAIL" .Values.adminEmail
  "KEDJA_TRUST_PROXY" (join "," .Values.trustProxy)
  "KEDJA_HOST" "0.0.0.0"
  "KEDJA_IDENTITY_URL" (printf "http://%s-identity:8081" .Release.Name)
  "KEDJA_DISPATCH_URL" (printf "http://%s-dispatch:8082" .Release.Name)
  "KEDJA_ENGINE_URL" (printf "http://%s-engine:8083" .Release.Name)
  "KEDJA_DRAIN_SECONDS" "5" -}}
{{- range $name, $value := $own }}
{{- if not (hasKey $.Values.environment $name) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.environment }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "kedja.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
  - name: data
    emptyDir: { sizeLimit: 64Mi }
  - name: keys
    secret: { secretName: {{ .Values.secrets.keys | quote }}, defaultMode: 0440 }
{{- with .Values.secrets.files }}
  - name: files
    secret: { secretName: {{ . | quote }}, defaultMode: 0440 }
{{- end }}
{{- end -}}

{{- define "kedja.container" -}}
image: {{ include "kedja.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ .Values.secrets.environment | quote }} }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /var/lib/kedja }
  - { name: keys, mountPath: /var/lib/kedja/keys, readOnly: true }
{{- if .Values.secrets.files }}
  - { name: files, mountPath: /etc/kedja, readOnly: true }
{{- end }}
{{- end -}}
