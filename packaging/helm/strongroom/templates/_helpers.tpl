{{- define "strongroom.name" -}}
{{- if contains "strongroom" .Release.Name -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-strongroom" (.Release.Name | trunc 41 | trimSuffix "-") }}
{{- end -}}
{{- end -}}

{{- define "strongroom.selector" -}}
app.kubernetes.io/name: strongroom
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "strongroom.labels" -}}
{{ include "strongroom.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The variable of each key of the secret that is used, and the file that it is mounted as. */}}
{{- define "strongroom.secretVariables" -}}
databaseUrl: STRONGROOM_DATABASE_URL_FILE
databaseDirectUrl: STRONGROOM_DATABASE_DIRECT_URL_FILE
{{- if eq .Values.s3.credentials "keys" }}
s3AccessKey: STRONGROOM_S3_ACCESS_KEY_FILE
s3SecretKey: STRONGROOM_S3_SECRET_KEY_FILE
s3SessionToken: STRONGROOM_S3_SESSION_TOKEN_FILE
{{- end }}
jwtSecret: STRONGROOM_JWT_SECRET_FILE
jwtSecretPrevious: STRONGROOM_JWT_SECRET_PREVIOUS_FILE
oidcClientSecret: STRONGROOM_OIDC_CLIENT_SECRET_FILE
mirrorToken: STRONGROOM_MIRROR_TOKEN_FILE
{{- end -}}
